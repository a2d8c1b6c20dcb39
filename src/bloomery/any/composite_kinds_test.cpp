#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Composites, composite_kinds);
}  // namespace bloomery::testing
