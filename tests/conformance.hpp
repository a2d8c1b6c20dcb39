// The conformance suite of a kind: one file for each file of filters/abilities/. The registry's kinds
// are tested by any/conformance_*_test.cpp; a new structure under construction registers itself:
//
//   const bool registered = register_conformance<my_filter>();
#pragma once

#include <tuple>
#include <utility>

#include "conformance/advertising.hpp"
#include "conformance/asking.hpp"
#include "conformance/building.hpp"
#include "conformance/combining.hpp"
#include "conformance/counting.hpp"
#include "conformance/erasing.hpp"
#include "conformance/every_kind.hpp"
#include "conformance/forgetting.hpp"
#include "conformance/growing.hpp"
#include "conformance/guarding.hpp"
#include "conformance/inserting.hpp"
#include "conformance/mapping.hpp"
#include "conformance/measuring.hpp"
#include "conformance/planning.hpp"
#include "conformance/ranking.hpp"
#include "conformance/reducing.hpp"
#include "conformance/texts.hpp"
#include "conformance/weighing.hpp"

namespace bloomery::testing {

// The thread sanitizer has something to say of tests that start threads, and those of an ability say that
// they do; compiling the others for it would take minutes.
template <class Tests>
#ifdef __SANITIZE_THREAD__
constexpr bool worth_compiling = requires {
  Tests::starts_threads;
};
#else
constexpr bool worth_compiling = true;
#endif

template <class F, class Tests>
void register_tests(std::string_view name) {
  if constexpr (worth_compiling<Tests>) Tests::template tests<F>({name, F::kind.name});
}

template <class F, class... A>
bool register_for(ability_list<A...> /*abilities*/) {
  register_tests<F, every_kind>(every_kind::name);
  (register_tests<F, conformance_of<A>>(A::name), ...);
  return true;
}

template <class F>
bool register_conformance() {
  return register_for<F>(typename F::abilities{});
}

// Every n-th kind of a list, so that the parts compile side by side.
template <std::size_t Part, std::size_t Parts, template <class...> class List, class... Kinds>
bool register_part(List<Kinds...> /*kinds*/) {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (register_conformance<std::tuple_element_t<I * Parts + Part, std::tuple<Kinds...>>>() &&
            ...);
  }
  (std::make_index_sequence<(sizeof...(Kinds) - Part + Parts - 1) / Parts>{});
}

}  // namespace bloomery::testing
