// What an ability is: something that filters of some kinds can do.
//
// Purpose:   each ability is one file in filters/abilities/, and one struct in it that says
//   name, refusal        what `kinds --json` calls it, and "a blocked filter cannot <refusal>"
//   of<Cells>            whether cells have what it needs
//   typed<F, Cells>      the methods that filter<Cells> then has
//   keyed<E>             the same for keys instead of digests, on the edge (bloom.hpp, any_bloom)
//   virtual methods      the same for a filter whose kind is known at run time only,
//   on<Held>             and how a typed filter gives them
//   of_kind, kind_on<K>  what the kind can tell or make before there is a filter
//            A file leaves out what its ability does not need. abilities.hpp lists them all; any_filter,
//            the registry, the tool, the fuzzers and the conformance suite read that list.
//
//     using bloomery::ability_list;
//     static_assert(bloomery::lists<int, ability_list<char, int>>);
//     static_assert(!bloomery::lists<long, ability_list<char, int>>);
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bloomery/core/fields.hpp"
#include "bloomery/filters/any_filter.hpp"
#include "bloomery/filters/cells.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery {

template <class... Abilities>
struct ability_list {};

template <class A, class List>
inline constexpr bool lists = false;
template <class A, class... Others>
inline constexpr bool lists<A, ability_list<Others...>> = (std::same_as<A, Others> || ...);

// What an ability's file leaves out. `Self` makes the bases of two abilities different types.
template <class Self>
struct ability {
  ability() = default;
  ability(const ability&) = delete;
  ability& operator=(const ability&) = delete;
  virtual ~ability() = default;

  // Why kinds lack it, if they say so.
  static std::string_view why(const kind_info& /*info*/) { return {}; }

  template <class F, class Cells>
  struct typed {};
  template <class Edge>
  struct keyed {};
  template <class Held>
  struct on : Self {};

  struct of_kind {
    of_kind() = default;
    of_kind(const of_kind&) = delete;
    of_kind& operator=(const of_kind&) = delete;
    virtual ~of_kind() = default;
  };
  template <class Kind>
  struct kind_on : Self::of_kind {};
};

// The typed filter that an erased form of an ability is a part of.
template <class Held, class Face>
auto& filter_in(Face& face) {
  using held = std::conditional_t<std::is_const_v<Face>, const Held, Held>;
  return static_cast<held&>(face).filter();
}

}  // namespace bloomery
