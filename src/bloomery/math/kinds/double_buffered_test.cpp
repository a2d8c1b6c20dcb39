#include "bloomery/math/kinds/double_buffered.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(double_buffered, rates_are_exact_until_a_buffer_can_be_swapped) {
  const buffer_size shape{1000, 5};
  EXPECT_EQ(buffered_window(shape), 100U);
  EXPECT_EQ(buffered_rate(shape, 200), exact_rate(1000, 200, 5));
  EXPECT_EQ(buffered_rate(shape, 5000), buffered_peak(shape));
  EXPECT_NEAR(buffered_peak({1'000'000, 5}), std::pow(0.75, 5), 1e-4);
}

TEST(double_buffered, plans_keep_window_and_rate_for_ever) {
  for (const std::uint64_t window : {1U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-5}) {
      const buffer_size size = plan_buffers(window, rate);
      EXPECT_GE(buffered_window(size), window);
      EXPECT_LE(buffered_peak(size), rate);
      for (std::uint64_t n = 1; n < 8 * window; n += 1 + window / 4) {
        EXPECT_LE(buffered_rate(size, n), rate);
      }
    }
  }
  EXPECT_TRUE(testing::throws_error(errc::limit, "64 hashes", [] { (void)plan_buffers(9, 1e-9); }));
}

}  // namespace
}  // namespace bloomery::math
