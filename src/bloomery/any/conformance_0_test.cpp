#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(0, 4);
}  // namespace bloomery::testing
