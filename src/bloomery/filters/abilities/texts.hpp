// Texts: keys read as texts, not digests, because what is in a text, or near it, matters.
//
// Cells have `text_insertion insert_text(hash, text)` (with a source, to search) and `bool
// contains_text(hash, text) const`; `search(hash, text)` finds parts of texts and their sources, and
// `nearness(hash, text)` how close a text is. Texts are hashed by the filter itself; one whose hash is
// keyed is given that hash with every text.
//
//     auto near = bloomery::distance_sensitive_filter::for_keys(10, 0.01);
//     assert(bloomery::reads_texts::of<bloomery::distance_sensitive_cells>);
//     assert(near.record().items == 0);
#pragma once

#include <functional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery {

// Where a text was found: in the source of that number, from that byte on.
struct text_match {
  std::uint64_t source = 0;
  std::uint64_t offset = 0;
  friend constexpr bool operator==(const text_match&, const text_match&) = default;
};

// What inserting a text did: whether anything changed, and for how many keys of a plan it counts.
struct text_insertion {
  bool fresh = false;
  std::uint64_t keys = 0;
};

// This many random bits are in no real set of texts.
inline constexpr std::uint64_t enough_random_bits = 64;

namespace detail {
// What the filter's texts are hashed by: what its record says, or what is given if that needs a secret.
inline hasher text_hash(const filter_record& record, const hasher* given) {
  if (record.hash.id == hash_id::integer) {
    fail(errc::incompatible,
         "texts are no integers, and this filter's hash is " + describe(record.hash));
  }
  if (given == nullptr) return hasher::for_identity(record.hash);
  require_same_hash(record.hash, given->identity());
  return *given;
}
template <class C>
concept inserts_sources = requires(C cells, hasher hash, std::string_view text) {
  { cells.insert_text(hash, text, std::uint64_t{1}) } -> std::same_as<text_insertion>;
};
}  // namespace detail

struct reads_texts : ability<reads_texts> {
  static constexpr std::string_view name = "text";
  static constexpr std::string_view refusal = "look into texts";
  template <class C>
  static constexpr bool of = requires(C cells, const C asked, hasher hash, std::string_view text,
                                      typename C::shape shape) {
    { cells.insert_text(hash, text) } -> std::same_as<text_insertion>;
    { asked.contains_text(hash, text) } -> std::same_as<bool>;
    { C::random_texts(shape, std::uint64_t{1}) } -> std::same_as<std::function<std::string()>>;
  };

  template <class F, class C>
  struct typed {
    bool insert_text(std::string_view text) { return insert(nullptr, text); }
    bool insert_text(const hasher& hash, std::string_view text) { return insert(&hash, text); }
    bool insert_text(std::string_view text,
                     std::uint64_t source) requires detail::inserts_sources<C> {
      return insert(nullptr, text, source);
    }
    bool insert_text(const hasher& hash, std::string_view text,
                     std::uint64_t source) requires detail::inserts_sources<C> {
      return insert(&hash, text, source);
    }
    [[nodiscard]] bool may_contain_text(std::string_view text) const { return ask(nullptr, text); }
    [[nodiscard]] bool may_contain_text(const hasher& hash, std::string_view text) const {
      return ask(&hash, text);
    }

   private:
    bool insert(const hasher* hash, std::string_view text, auto... source) {
      F& self = static_cast<F&>(*this);
      C& cells = self.cells_for_writing();
      const text_insertion done =
          cells.insert_text(detail::text_hash(self.record(), hash), text, source...);
      std::uint64_t& items = self.changed_record().items;
      items = std::min(items + done.keys, max_items);
      return done.fresh;
    }
    [[nodiscard]] bool ask(const hasher* hash, std::string_view text) const {
      const F& self = static_cast<const F&>(*this);
      return self.cells().contains_text(detail::text_hash(self.record(), hash), text);
    }
  };

  // `hash` is that of a filter whose hash is keyed.
  virtual bool insert_text(std::string_view text, std::uint64_t source = 0,
                           const hasher* hash = nullptr) = 0;
  [[nodiscard]] virtual bool may_contain_text(std::string_view text,
                                              const hasher* hash = nullptr) const = 0;

  template <class Held, class C>
  struct on : methods<Held, C, reads_texts> {
    bool insert_text(std::string_view text, [[maybe_unused]] std::uint64_t source,
                     const hasher* hash) override {
      auto& filter = filter_in<Held>(*this);
      const hasher by = detail::text_hash(filter.record(), hash);
      if constexpr (detail::inserts_sources<C>) {
        return filter.insert_text(by, text, source);
      } else {
        if (source != 0) refuse(C::kind.name, "tell sources apart");
        return filter.insert_text(by, text);
      }
    }
    [[nodiscard]] bool may_contain_text(std::string_view text, const hasher* hash) const override {
      const auto& filter = filter_in<Held>(*this);
      return filter.may_contain_text(detail::text_hash(filter.record(), hash), text);
    }
  };

  struct of_kind : ability<reads_texts>::of_kind {
    // Makes texts that are in no real set, nor near one; none if the shape admits no such texts.
    [[nodiscard]] virtual std::function<std::string()> random_texts(shape_view shape,
                                                                    std::uint64_t seed) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] std::function<std::string()> random_texts(shape_view shape,
                                                            std::uint64_t seed) const override {
      return K::cells::random_texts(K::shape_of(shape), seed);
    }
  };
};

// Finds a text inside those it was given, and in which source.
struct searches : ability<searches> {
  static constexpr std::string_view name = "search";
  static constexpr std::string_view refusal = "find parts of texts";
  template <class C>
  static constexpr bool of = detail::inserts_sources<C>&& requires(const C cells, hasher hash,
                                                                   std::string_view text,
                                                                   typename C::shape shape) {
    { cells.search(hash, text) } -> std::same_as<std::vector<text_match>>;
    { C::sources(shape) } -> std::same_as<std::uint64_t>;
    { C::with_sources(shape, std::uint64_t{1}) } -> std::same_as<typename C::shape>;
  };

  [[nodiscard]] virtual std::vector<text_match> search(std::string_view text,
                                                       const hasher* hash = nullptr) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::vector<text_match> search(std::string_view text,
                                                 const hasher* hash = nullptr) const {
      const auto& self = filter_in<F>(*this);
      return self.cells().search(detail::text_hash(self.record(), hash), text);
    }
  };

  struct of_kind : ability<searches>::of_kind {
    // How many sources a shape tells apart, and the shape that tells at least `sources` apart.
    [[nodiscard]] virtual std::uint64_t sources(shape_view shape) const = 0;
    [[nodiscard]] virtual shape_values with_sources(shape_view shape,
                                                    std::uint64_t sources) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] std::uint64_t sources(shape_view shape) const override {
      return K::cells::sources(K::shape_of(shape));
    }
    [[nodiscard]] shape_values with_sources(shape_view shape,
                                            std::uint64_t sources) const override {
      return values_of(K::cells::with_sources(K::shape_of(shape), sources));
    }
  };
};

// Says in how many of its arrays a text looks like one it was given; may_contain_text asks for enough.
struct finds_near : ability<finds_near> {
  static constexpr std::string_view name = "near";
  static constexpr std::string_view refusal = "find what is near";
  template <class C>
  static constexpr bool of = requires(const C cells, hasher hash, std::string_view text) {
    { cells.nearness(hash, text) } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t nearness(std::string_view text,
                                               const hasher* hash = nullptr) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t nearness(std::string_view text,
                                         const hasher* hash = nullptr) const {
      const auto& self = filter_in<F>(*this);
      return self.cells().nearness(detail::text_hash(self.record(), hash), text);
    }
  };
};

}  // namespace bloomery
