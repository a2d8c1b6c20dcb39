#include "bloomery/math/kinds/succinct_counting.hpp"

#include <cmath>

#include "bloomery/math/laws/plan.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

TEST(unary_lines_plan, keeps_the_rate_and_has_room_to_spill) {
  for (const std::uint64_t n : {1U, 50U, 3000U, 1'000'000U}) {
    for (const double rate : {0.9, 0.3, 0.1, 0.01, 0.0001}) {
      SCOPED_TRACE(std::to_string(n) + " keys at " + std::to_string(rate));
      const auto size = math::plan_unary_lines(n, rate);
      EXPECT_EQ(size.rate, math::lane_blocked_rate({}, size.blocks, n, size.hashes));
      EXPECT_LE(size.rate, rate);
      EXPECT_LE(math::freeze_tail(size.blocks, n, size.hashes, size.spill), math::planned_freeze);
    }
  }
}

// Within 1.05 of the 21.2 bits of the rival of its rate, .82 %; and once there are many lines, little more than
// two blocked filters.
TEST(unary_lines_plan, takes_little_more_than_two_blocked_filters) {
  for (const std::uint64_t n : {10'000U, 100'000U, 1'000'000U, 100'000'000U}) {
    const auto size = math::plan_unary_lines(n, 0.0082);
    const double bits =
        1024 * static_cast<double>(size.blocks) + 576 * static_cast<double>(size.spill);
    EXPECT_LT(bits, 1.05 * 21.2 * static_cast<double>(n));
    if (n < 100'000) continue;
    EXPECT_LT(bits, 1.02 * 1024 * static_cast<double>(math::plan_blocked(n, 0.0082).blocks));
  }
}

// By hand: with k = 8 all strings of a line are as long as it has keys, with 16 twice that.
TEST(unary_lines_plan, strings_are_as_long_as_keys_come) {
  const auto at_least = [](std::uint64_t least, double n, double p) {
    double sum = 0;
    for (auto i = static_cast<double>(least); i <= n; ++i) {
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) +
                      i * std::log(p) + (n - i) * std::log1p(-p));
    }
    return sum;
  };
  EXPECT_NEAR(math::longer_share(10, 500, 8, 63), at_least(64, 500, 0.1), 1e-11);
  EXPECT_NEAR(math::longer_share(10, 300, 16, 63), at_least(32, 300, 0.1), 1e-11);
  EXPECT_NEAR(math::longer_share(10, 700, 4, 63), 8 * at_least(64, 700, 0.05), 1e-11);
  EXPECT_EQ(math::longer_share(1, 63, 8, 63), 0);
  EXPECT_EQ(math::longer_share(1, 64, 8, 63), 1);
  EXPECT_EQ(math::longer_share(1, 63, 3, 63), 0);
  // One round in every lane and half of a second: 40 keys make 40 and Bin(40, ½) more.
  EXPECT_NEAR(math::longer_share(1, 40, 12, 63), std::min(1.0, 8 * at_least(24, 40, 0.5)), 1e-11);
  EXPECT_TRUE(throws_error(errc::invalid, "hashes", [] { math::longer_share(1, 5, 17, 63); }));
}

TEST(unary_lines_plan, the_tail_is_chernoffs) {
  // One line in ten spills, 200 do: e^{-1000·KL(0.2|0.1)}, and none spills twice.
  const double q = math::longer_share(1000, 56'000, 8, 63);
  const double x = (199.0 + 1) / 1000;
  const double kl = x * std::log(x / q) + (1 - x) * std::log((1 - x) / (1 - q));
  EXPECT_NEAR(math::freeze_tail(1000, 56'000, 8, 199), std::exp(-1000 * kl), 1e-9);
  EXPECT_LT(math::freeze_tail(1000, 56'000, 8, 1000), 1e-9);
  EXPECT_EQ(math::freeze_tail(1000, 56'000, 8, 10), 1);
}

}  // namespace
}  // namespace bloomery::testing
