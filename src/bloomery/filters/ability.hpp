// What an ability is: something that filters of some kinds can do.
//
// Purpose:   each ability is one file in filters/abilities/, and one struct in it that says
//   name, refusal        what `kinds --json` calls it, and "a blocked filter cannot <refusal>"
//   of<Cells>            whether cells have what it needs
//   virtual methods      what a filter can then do whose kind is known at run time only
//   methods<F, C, Face>  what filter<C> can do, and at the same time how it does that for an erased
//                        filter: Face is the ability itself there, whose virtual methods these
//                        override, and `none` for a typed filter
//   typed<F, C>          further methods of a typed filter,
//   on<Held, C>          and of an erased one, where the two differ
//   keyed<E>             the same for keys instead of digests, on the edge (bloom.hpp, any_bloom)
//   of_kind, kind_on<K>  what the kind can tell or make before there is a filter
//            A file leaves out what its ability does not need. abilities.hpp lists them all; any_filter,
//            the registry, the tool, the fuzzers and the conformance suite read that list.
//
//     using bloomery::ability_list;
//     static_assert(bloomery::lists<int, ability_list<char, int>>);
//     static_assert(!bloomery::lists<long, ability_list<char, int>>);
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

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

  struct none {};
  template <class F, class C, class Face>
  struct methods : Face {};
  template <class F, class C>
  struct typed : Self::template methods<F, C, none> {};
  template <class Held, class C>
  struct on : Self::template methods<Held, C, Self> {};
  template <class Edge>
  struct keyed {};

  struct of_kind {
    of_kind() = default;
    of_kind(const of_kind&) = delete;
    of_kind& operator=(const of_kind&) = delete;
    virtual ~of_kind() = default;
  };
  template <class Kind>
  struct kind_on : Self::of_kind {};
};

// The typed filter that the methods of an ability are a part of, or that an erased one holds.
template <class F, class Methods>
auto& filter_in(Methods& methods) {
  auto& self = static_cast<std::conditional_t<std::is_const_v<Methods>, const F, F>&>(methods);
  if constexpr (filter_type<F>) {
    return self;
  } else {
    return self.filter();
  }
}

}  // namespace bloomery
