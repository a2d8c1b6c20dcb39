// What cells are: the part of a structure that is its own.
//
// Purpose:   a structure supplies its cells, a page: kind, shape, formulas, where a digest lies, what
//            inserting and asking do there. filter<Cells> (filter.hpp) supplies everything else.
//            Cells must have what the concept `cells` asks for, and list in `can` the abilities they
//            have; each ability says what it needs of them (filters/abilities/). A method that is
//            missing or misspelt does not compile, and neither does an ability that is not listed.
//
// Cells may leave out `locate` and `prefetch`: a key then lies at its digest. A place follows from
// digest and shape alone, so that the cells may change between finding it and acting on it.
//
//     static_assert(bloomery::cells<bloomery::counting_cells>);
//     static_assert(!bloomery::cells<int>);
#pragma once

#include <concepts>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/bits/batch/pipeline.hpp"
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/math/laws/cost.hpp"

namespace bloomery {

template <class C>
concept cells = std::copyable<C> &&
    requires(const typename C::shape& shape, storage stored, std::uint64_t keys, double rate) {
  { C::kind } -> std::convertible_to<kind_info>;
  typename C::can;  // ability_list<…>
  C::shape::fields;
  C(shape);                     // empty
  C(shape, std::move(stored));  // restored: errc::corrupt unless some state has these bytes
  { C::payload_bytes(shape) } -> std::same_as<std::uint64_t>;
  { C::plan(keys, rate) } -> std::same_as<typename C::shape>;
  { C::predicted_rate(shape, keys) } -> std::same_as<double>;
  { C::query_cost(shape, keys) } -> std::same_as<math::query_cost>;
};

}  // namespace bloomery

namespace bloomery::detail {

// The arrays that cells are made of, in the order in which they are stored. Cells name them in
// `static void each_part(auto& self, auto visit)`; an array that is made of arrays does the same.
template <class Part, class Visit>
void each_part_of(Part& part, Visit visit) {
  if constexpr (requires { std::remove_const_t<Part>::each_part(part, visit); }) {
    std::remove_const_t<Part>::each_part(part, [&](auto& inner) { each_part_of(inner, visit); });
  } else {
    visit(part);
  }
}

template <class C>
std::vector<byte_view> payload_of(const C& cells) {
  std::vector<byte_view> parts;
  each_part_of(cells, [&](const auto& part) { parts.push_back(part.bytes()); });
  return parts;
}

template <class C>
std::uint64_t bytes_of_cells(const C& cells) {
  std::uint64_t total = 0;
  each_part_of(cells, [&](const auto& part) { total += part.bytes().size(); });
  return total;
}

// Throws errc::read_only unless the cells may be changed.
template <class C>
void require_writable(C& cells) {
  each_part_of(cells, [](auto& part) { part.require_writable(); });
}

// Whether what it is a member of has been moved from: it holds nothing then, and asking it anything
// would be asking for memory that it no longer has.
class moved_mark {
 public:
  moved_mark() = default;
  moved_mark(const moved_mark&) = default;
  moved_mark& operator=(const moved_mark&) = default;
  moved_mark(moved_mark&& other) noexcept : moved_(std::exchange(other.moved_, true)) {}
  moved_mark& operator=(moved_mark&& other) noexcept {
    moved_ = std::exchange(other.moved_, &other != this);
    return *this;
  }
  ~moved_mark() = default;
  void require_whole() const {
    if (moved_) refuse_moved();
  }

 private:
  bool moved_ = false;
};

// Where a key lies in cells.
template <class C>
decltype(auto) located(const C& cells, digest d) {
  if constexpr (requires { cells.locate(d); }) {
    return cells.locate(d);
  } else {
    return d;
  }
}
// What an operation on one key is given: its place or, where the cells take that as well, the key itself, since a
// place that is worth keeping for a while may cost more than the operation.
template <class C>
concept takes_keys = requires(C cells, digest d) {
  cells.contains(d);
  cells.insert(d);
};
template <class C>
decltype(auto) located_once(const C& cells, digest d) {
  if constexpr (takes_keys<C>) {
    return d;
  } else {
    return located(cells, d);
  }
}
template <class C>
using place_of = std::remove_cvref_t<decltype(located(std::declval<const C&>(), digest()))>;

}  // namespace bloomery::detail

namespace bloomery {

// Cells that answer as of a later time, without being changed.
template <class C>
concept answers_later = requires(const C cells, std::uint64_t now) {
  cells.as_of(now);
};

}  // namespace bloomery

namespace bloomery::detail {

// Up to this size prefetching costs more than it saves: a second-level cache, unless the cells have a
// `cached_bytes` of their own.
template <class C>
constexpr std::uint64_t cached_bytes_of() {
  if constexpr (requires { C::cached_bytes; }) {
    return C::cached_bytes;
  } else {
    return 512 << 10;
  }
}

// Calls act(i, place of key i) for each key in order. Beyond the cache all keys of a group are located
// and prefetched before the first of the group before is acted on.
template <class C, class Keys, class Act>
void each_place(const C& cells, const Keys& keys, Act act) {
  if constexpr (requires(const place_of<C>& at) { cells.prefetch(at); }) {
    if (keys.size() > 1 && bytes_of_cells(cells) > cached_bytes_of<C>()) {
      using slot = place_of<C>;
      constexpr std::size_t group = 16;
      bits::pipelined<group, slot>(
          keys.size(),
          [&](std::size_t first, std::span<slot> places) {
            for (std::size_t i = 0; i < places.size(); ++i) {
              // Constructed in place: copying a struct with wider loads than the stores that filled
              // it defeats store forwarding.
              cells.prefetch(*::new (&places[i]) slot(located(cells, keys[first + i])));
            }
          },
          [&](std::size_t first, std::span<const slot> places) {
            for (std::size_t i = 0; i < places.size(); ++i) act(first + i, places[i]);
          });
      return;
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) act(i, located(cells, keys[i]));
}

}  // namespace bloomery::detail
