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
template <class C>
concept erases_integers = requires(C cells, const integer_span& keys) {
  cells.erase_batch(keys);
};

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

  template <class F>
  static constexpr bool takes_integers = requires(F filter, const integer_span& keys) {
    filter.erase(keys);
  };

  // Returns how many were removed.
  virtual std::uint64_t erase(digest_span keys) = 0;
  virtual bool erase(digest d) = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    bool erase(digest d) {
      C& cells = filter_in<F>(*this).cells_for_writing();
      const bool gone = cells.erase(detail::located_once(cells, d));
      forget(std::uint64_t{gone});
      return gone;
    }
    std::uint64_t erase(digest_span keys) { return erase_batch(keys); }
    // Integers are hashed on the way, where the cells take them.
    std::uint64_t erase(const integer_span& keys) requires detail::erases_integers<C> {
      return erase_batch(keys);
    }

   private:
    template <class Keys>
    std::uint64_t erase_batch(const Keys& keys) {
      C& cells = filter_in<F>(*this).cells_for_writing();
      std::uint64_t gone = 0;
      if constexpr (requires { cells.erase_batch(keys); }) {
        gone = cells.erase_batch(keys);
      } else {
        gone = detail::erase_each(cells, keys);
      }
      forget(gone);
      return gone;
    }
    void forget(std::uint64_t gone) {
      std::uint64_t& items = filter_in<F>(*this).changed_record().items;
      items -= std::min(gone, items);  // strangers may have been erased before
    }
  };

  template <class E>
  struct keyed {
    // Was the key removed? Of a range of keys: how many were.
    auto erase(const auto& key) {
      E& edge = static_cast<E&>(*this);
      if constexpr (E::template is_key<std::remove_cvref_t<decltype(key)>>) {
        return edge.template able_to<erases>().erase(edge.digest_of(key));
      } else {
        std::uint64_t gone = 0;
        edge.template in_batches<erases>(key, [&](const auto& batch, std::size_t) {
          gone += edge.template able_to<erases>().erase(batch);
        });
        return gone;
      }
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
