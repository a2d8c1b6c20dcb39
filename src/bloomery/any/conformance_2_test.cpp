#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(2, 4);
}  // namespace bloomery::testing
