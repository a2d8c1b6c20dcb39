#include "bloomery/any/kinds.hpp"
#include "bloomery/any/secure_kinds.hpp"
#include "conformance.hpp"

namespace bloomery::testing {
namespace {
const bool registered = register_part<3, 4>(all_kinds{}) && register_part<0, 1>(secure_kinds{});
}  // namespace
}  // namespace bloomery::testing
