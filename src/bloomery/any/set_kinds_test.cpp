#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Sets, set_kinds);
}  // namespace bloomery::testing
