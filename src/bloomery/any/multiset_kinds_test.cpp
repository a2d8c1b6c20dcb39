#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Multisets, multiset_kinds);
}  // namespace bloomery::testing
