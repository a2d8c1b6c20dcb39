#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Functions, function_kinds);
}  // namespace bloomery::testing
