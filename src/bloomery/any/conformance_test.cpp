#include "conformance.hpp"

#include "bloomery/any/kinds.hpp"

namespace bloomery::testing {
namespace {

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

INSTANTIATE_TYPED_TEST_SUITE_P(Kinds, Conformance, types_of<all_kinds>::type, kind_names);

}  // namespace
}  // namespace bloomery::testing
