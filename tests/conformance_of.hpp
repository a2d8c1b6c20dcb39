// Instantiates the conformance suite for every n-th kind, so that the parts compile side by side:
// BLOOMERY_CONFORMANCE(part, parts);
#pragma once

#include <tuple>
#include <utility>

#include "bloomery/any/kinds.hpp"
#include "conformance.hpp"

namespace bloomery::testing {

template <std::size_t Part, std::size_t Parts, class List, class Indices>
struct part_of;

template <std::size_t Part, std::size_t Parts, class... Kinds, std::size_t... I>
struct part_of<Part, Parts, kind_list<Kinds...>, std::index_sequence<I...>> {
  using type = ::testing::Types<std::tuple_element_t<I * Parts + Part, std::tuple<Kinds...>>...>;
};

struct kind_names {
  template <class F>
  static std::string GetName(int /*index*/) {
    return test_name(F::kind.name);
  }
};

#define BLOOMERY_CONFORMANCE(part, parts)                                                    \
  using kinds_of_part_##part =                                                               \
      part_of<part, parts, all_kinds,                                                        \
              std::make_index_sequence<(all_kinds::size - part + parts - 1) / parts>>::type; \
  INSTANTIATE_TYPED_TEST_SUITE_P(Part##part, Conformance, kinds_of_part_##part, kind_names)

}  // namespace bloomery::testing
