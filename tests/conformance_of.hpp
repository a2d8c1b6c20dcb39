// Instantiates the conformance suite for a list of kinds: BLOOMERY_CONFORMANCE(sets, set_kinds);
#pragma once

#include "bloomery/any/kinds.hpp"
#include "conformance.hpp"

namespace bloomery::testing {

template <class List>
struct types_of;

template <class... Kinds>
struct types_of<kind_list<Kinds...>> {
  using type = ::testing::Types<Kinds...>;
};

struct kind_names {
  template <class F>
  static std::string GetName(int /*index*/) {
    return test_name(F::kind.name);
  }
};

#define BLOOMERY_CONFORMANCE(name, list) \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, Conformance, types_of<list>::type, kind_names)

}  // namespace bloomery::testing
