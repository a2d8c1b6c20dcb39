#include "bloomery/any/kinds.hpp"
#include "conformance.hpp"

namespace bloomery::testing {
namespace {
const bool registered = register_part<1, 4>(all_kinds{});
}  // namespace
}  // namespace bloomery::testing
