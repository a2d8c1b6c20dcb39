#include "bloomery/math/kinds/blocked_counting.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::testing {
namespace {

TEST(line_counters_plan, is_the_fewest_lines_of_counters_that_hardly_stick) {
  for (const std::uint64_t n : {1U, 50U, 3000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 0.0001}) {
      const auto size = math::plan_line_counters(n, rate);
      const auto block = math::line_of_counters(size.counter_bits);
      EXPECT_EQ(size.rate, math::lane_blocked_rate(block, size.blocks, n, size.hashes));
      EXPECT_LE(size.rate, rate);
      if (size.blocks > 1) {
        EXPECT_GT(math::lane_blocked_rate(block, size.blocks - 1, n, size.hashes), rate);
      }
      EXPECT_LE(math::stuck_share(size.blocks, n, size.hashes, size.counter_bits),
                math::planned_stuck);
    }
  }
}

// One block of 4·8 two-bit counters, k = 1: a counter is Bin(n, 1/256).
TEST(line_counters_plan, stuck_share_is_the_binomial_tail) {
  const double p = 1.0 / 256;
  const double below =
      std::pow(1 - p, 5) + 5 * p * std::pow(1 - p, 4) + 10 * p * p * std::pow(1 - p, 3);
  EXPECT_NEAR(math::stuck_share(1, 5, 1, 2), 1 - below, 1e-14);
  EXPECT_EQ(math::stuck_share(1, 2, 1, 2), 0);
  EXPECT_TRUE(throws_error(errc::invalid, "counter_bits", [] { math::stuck_share(1, 5, 1, 9); }));
}

}  // namespace
}  // namespace bloomery::testing
