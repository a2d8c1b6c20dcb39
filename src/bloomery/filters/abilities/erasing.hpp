// Erasing: undoes the insertion of a key that is in the filter, once for each time it was inserted.
// Each kind says what erasing a stranger does.
//
// Cells have `bool erase(place)`, which says whether something was removed: false if nothing changed, as
// of a key that is absent, or that stays forever because its counters have lost count.
//
//     auto online = bloomery::counting_filter::for_keys(100, 0.01);
//     online.insert({1, 2});
//     assert(online.erase({1, 2}) && !online.may_contain({1, 2}) && online.record().items == 0);
#pragma once

#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery {

namespace detail {
// Key by key, prefetched: how batches are erased from cells that have no way of their own.
template <class C, class Keys>
std::uint64_t erase_each(C& cells, const Keys& keys) {
  std::uint64_t gone = 0;
  each_place(cells, keys,
             [&](std::size_t, const auto& at) { gone += std::uint64_t{cells.erase(at)}; });
  return gone;
}
}  // namespace detail

struct erases : ability<erases> {
  static constexpr std::string_view name = "erase";
  static constexpr std::string_view refusal = "remove keys";
  template <class C>
  static constexpr bool of = requires(C cells, detail::place_of<C> at) {
    { cells.erase(at) } -> std::same_as<bool>;
  };

  // Returns how many were removed.
  virtual std::uint64_t erase(digest_span keys) = 0;
  virtual bool erase(digest d) = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    bool erase(digest d) { return erase(digest_span(&d, 1)) != 0; }
    std::uint64_t erase(digest_span keys) {
      auto& self = filter_in<F>(*this);
      C& cells = self.cells_for_writing();
      std::uint64_t gone = 0;
      if constexpr (requires { cells.erase_batch(keys); }) {
        gone = cells.erase_batch(keys);
      } else {
        gone = detail::erase_each(cells, keys);
      }
      std::uint64_t& items = self.changed_record().items;
      items -= std::min(gone, items);  // strangers may have been erased before
      return gone;
    }
  };

  template <class E>
  struct keyed {
    bool erase(const auto& key) {
      E& edge = static_cast<E&>(*this);
      return edge.template able_to<erases>().erase(edge.digest_of(key));
    }
  };
};

// Erases batches in a way of its own: uint64 erase_batch(keys).
struct erases_in_batches : ability<erases_in_batches> {
  static constexpr std::string_view name = "erase_batch";
  static constexpr std::string_view refusal = "erase batches in a way of its own";
  template <class C>
  static constexpr bool of = requires(C cells, digest_span keys) {
    { cells.erase_batch(keys) } -> std::same_as<std::uint64_t>;
  };
};

}  // namespace bloomery
