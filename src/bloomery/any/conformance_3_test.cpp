#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(3, 4);
}  // namespace bloomery::testing
