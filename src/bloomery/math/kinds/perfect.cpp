#include "bloomery/math/kinds/perfect.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::math {

perfect_size perfect_layout(std::uint64_t keys) {
  require_whole("keys", keys, 1, max_perfect_keys);
  const auto bits = static_cast<unsigned>(std::bit_width(keys - 1));
  return {keys, (2 * keys + keys_of_two_buckets - 1) / keys_of_two_buckets,
          keys + keys / keys_per_spare_slot + fewest_spare_slots, std::max(bits, 1U)};
}

}  // namespace bloomery::math
