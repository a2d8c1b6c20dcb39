#include "bloomery/math/kinds/perfect.hpp"

#include <cmath>

#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// At most three bits a key, and never below log2(e), what n!/n^n allows.
TEST(perfect_layout, takes_at_most_three_bits_a_key) {
  for (double keys = 1000; keys < 8e9; keys *= 1.7) {
    const auto n = static_cast<std::uint64_t>(keys);
    const double bits = real(perfect_layout(n).bits()) / real(n);
    EXPECT_GT(bits, 1 / std::log(2.0));
    EXPECT_LT(bits, 2.7) << n;
  }
}

TEST(perfect_layout, has_room_for_all) {
  for (std::uint64_t keys = 1; keys < 1000; ++keys) {
    const perfect_size size = perfect_layout(keys);
    EXPECT_GT(size.slots, keys);
    EXPECT_GE(7 * size.buckets, 2 * keys);
    EXPECT_LT((keys - 1) >> size.spare_bits, 1U);
  }
  EXPECT_TRUE(testing::throws_error(errc::invalid, "keys is 0", [] { (void)perfect_layout(0); }));
}

}  // namespace
}  // namespace bloomery::math
