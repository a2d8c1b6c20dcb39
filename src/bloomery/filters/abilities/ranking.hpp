// Ranking: which keys occurred most. Keys are known by their digests; whoever has the keys may label
// those that want one. A filter whose hash is keyed keeps labels sealed under that key: it is labelled,
// and its labels are read, with the hash at hand.
//
//     bloomery::count_min_filter hits(bloomery::count_min_shape{1000, 4, 32, 0, 3});
//     for (int i = 0; i < 5; ++i) hits.insert({1, 2});
//     hits.insert({bloomery::hash::mix(3), bloomery::hash::mix(4)});
//     hits.label({1, 2}, "zebra");
//     assert(hits.top().front().count == 5 && hits.top().front().label == "zebra");
#pragma once

#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/sealed_text.hpp"

namespace bloomery {

// One of the keys that occurred most; the label is what the key was called, as far as is known.
struct ranked_key {
  digest key;
  std::uint64_t count = 0;
  std::string label;
};

struct ranks : ability<ranks> {
  static constexpr std::string_view name = "rank";
  static constexpr std::string_view refusal = "rank keys";
  template <class C>
  static constexpr bool of = requires(C cells, const C asked, digest d, std::string_view text,
                                      typename C::shape shape) {
    { asked.top() } -> std::same_as<std::vector<ranked_key>>;
    { asked.wants_label(d) } -> std::same_as<bool>;
    cells.label(d, text);
    { C::label_bytes } -> std::convertible_to<std::size_t>;
    { C::ranking(shape, std::uint64_t{1}) } -> std::same_as<typename C::shape>;
    { asked.most_ranked() } -> std::same_as<std::uint64_t>;
  };

  // How many keys it ranks at most: none, if its shape leaves no room for them.
  [[nodiscard]] virtual std::uint64_t most_ranked() const = 0;
  // Most first; of a keyed filter without labels unless its hash is given.
  [[nodiscard]] virtual std::vector<ranked_key> top(const hasher* hash = nullptr) const = 0;
  [[nodiscard]] virtual bool wants_label(digest d) const = 0;
  virtual void label(digest d, std::string_view text, const hasher* hash = nullptr) = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    // The shape, with room for so many keys.
    [[nodiscard]] static typename C::shape ranking(const typename C::shape& shape,
                                                   std::uint64_t keys) {
      return C::ranking(shape, keys);
    }
    [[nodiscard]] std::uint64_t most_ranked() const {
      return filter_in<F>(*this).cells().most_ranked();
    }
    [[nodiscard]] std::vector<ranked_key> top(const hasher* hash = nullptr) const {
      std::vector<ranked_key> keys = filter_in<F>(*this).cells().top();
      if (!keyed_by(hash)) return keys;
      for (ranked_key& key : keys) {
        key.label = hash == nullptr ? "" : hash::unsealed_text(*hash, key.key, key.label);
      }
      return keys;
    }
    [[nodiscard]] bool wants_label(digest d) const {
      return filter_in<F>(*this).cells().wants_label(d);
    }
    void label(digest d, std::string_view text, const hasher* hash = nullptr) {
      C& cells = filter_in<F>(*this).cells_for_writing();
      if (!keyed_by(hash)) return cells.label(d, text);
      if (hash == nullptr) {
        fail(errc::invalid,
             "the keys that a keyed filter lists are sealed: give its hash to label them");
      }
      cells.label(d, hash::sealed_text(*hash, d, text, C::label_bytes));
    }

   private:
    // Whether labels are sealed; a hash that is given must be the filter's.
    bool keyed_by(const hasher* hash) const {
      const hash_identity& own = filter_in<F>(*this).record().hash;
      if (hash != nullptr) require_same_hash(own, hash->identity());
      return own.id == hash_id::keyed;
    }
  };
};

}  // namespace bloomery
