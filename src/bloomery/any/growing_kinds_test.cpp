#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Growing, growing_kinds);
}  // namespace bloomery::testing
