#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(1, 4);
}  // namespace bloomery::testing
