#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Windows, window_kinds);
}  // namespace bloomery::testing
