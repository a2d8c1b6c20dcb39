#include "bloomery/math/kinds/decaying.hpp"

#include <bit>

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(decaying, rates_stay_once_the_window_is_full) {
  EXPECT_NEAR(decaying_rate(8000, 5, 1000, 1000), 0.0217, 5e-5);
  EXPECT_EQ(decaying_rate(8000, 5, 1000, 1000), decaying_rate(8000, 5, 1000, 99'999));
  EXPECT_LT(decaying_rate(8000, 5, 1000, 999), decaying_rate(8000, 5, 1000, 1000));
}

TEST(decaying, the_hand_comes_round_before_the_cycle) {
  for (const std::uint64_t window : {1U, 2U, 3U, 4U, 1000U, 1023U, 1024U}) {
    const std::uint64_t cycle = stamp_cycle(window);
    EXPECT_EQ(stamp_bits(window), static_cast<std::uint64_t>(std::bit_width(window)) + 1);
    EXPECT_GE(cycle, 2 * window);
    for (const std::uint64_t cells : {1U, 7U, 5000U}) {
      const std::uint64_t step = cells_swept(cells, window);
      EXPECT_GE(step * (cycle - window), cells);
      EXPECT_LE(step, cells);
    }
  }
}

}  // namespace
}  // namespace bloomery::math
