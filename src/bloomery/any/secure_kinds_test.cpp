#include "conformance_of.hpp"

namespace bloomery::testing {
BLOOMERY_CONFORMANCE(Secure, secure_kinds);
}  // namespace bloomery::testing
