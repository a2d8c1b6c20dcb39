// Ranking: which keys occurred most. Keys are known by their digests; whoever has the keys may label
// those that want one.
//
//     bloomery::count_min_filter hits(bloomery::count_min_shape{1000, 4, 32, 0, 3});
//     for (int i = 0; i < 5; ++i) hits.insert({1, 2});
//     hits.insert({bloomery::hash::mix(3), bloomery::hash::mix(4)});
//     hits.label({1, 2}, "zebra");
//     assert(hits.top().front().count == 5 && hits.top().front().label == "zebra");
#pragma once

#include <string>

#include "bloomery/filters/ability.hpp"

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
  static constexpr bool of = requires(C cells, const C asked, digest d, std::string_view text) {
    { asked.top() } -> std::same_as<std::vector<ranked_key>>;
    { asked.wants_label(d) } -> std::same_as<bool>;
    cells.label(d, text);
  };

  [[nodiscard]] virtual std::vector<ranked_key> top() const = 0;  // most first
  [[nodiscard]] virtual bool wants_label(digest d) const = 0;
  virtual void label(digest d, std::string_view text) = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::vector<ranked_key> top() const { return filter_in<F>(*this).cells().top(); }
    [[nodiscard]] bool wants_label(digest d) const {
      return filter_in<F>(*this).cells().wants_label(d);
    }
    void label(digest d, std::string_view text) {
      filter_in<F>(*this).cells_for_writing().label(d, text);
    }
  };
};

}  // namespace bloomery
