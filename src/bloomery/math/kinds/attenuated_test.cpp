#include "bloomery/math/kinds/attenuated.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(attenuated_math, levels_err_apart) {
  const double two = exact_rate(500, 30, 5);
  const double one = exact_rate(500, 31, 5);
  EXPECT_NEAR(attenuated_rate(500, 5, 3, 91), 1 - (1 - two) * (1 - two) * (1 - one), 1e-15);
  EXPECT_EQ(attenuated_rate(500, 5, 1, 91), exact_rate(500, 91, 5));
  EXPECT_EQ(attenuated_rate(500, 5, 4, 0), 0);
}

TEST(attenuated_math, plans_keep_their_rate) {
  for (const std::uint64_t levels : {1U, 3U, 13U, 64U}) {
    for (const std::uint64_t keys : {1U, 20U, 2000U, 1'000'000U}) {
      const standard_size size = plan_attenuated(levels, keys, 0.01);
      EXPECT_LE(size.rate, 0.01);
    }
  }
  EXPECT_EQ(plan_attenuated(1, 1000, 0.01).bits, plan_standard(1000, 0.01).bits);
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "keys", [] { (void)plan_attenuated(3, 0, 0.1); }));
}

TEST(attenuated_math, scores_fade_to_the_fill) {
  EXPECT_EQ(expected_score(32, 0, 8, 0.3), 32);
  for (std::uint64_t hops = 0; hops < 6; ++hops) {
    EXPECT_GT(expected_score(32, hops, 2, 0.3), expected_score(32, hops + 1, 2, 0.3));
  }
  EXPECT_NEAR(expected_score(32, 60, 2, 0.3), 32 * 0.3, 1e-9);
  for (const double fill : {0.1, 0.5, 0.8}) {
    const std::uint64_t floor = noise_floor(32, fill, 0.01);
    EXPECT_LE(binomial_upper(floor, 32, fill), 0.01);
    EXPECT_GT(binomial_upper(floor - 1, 32, fill), 0.01);
  }
  EXPECT_EQ(noise_floor(32, 1, 0.01), 33U);
  EXPECT_EQ(noise_floor(32, 0, 0.01), 1U);
}

TEST(attenuated_math, scored_filters_are_three_quarters_empty) {
  for (const std::uint64_t keys : {1U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 1e-5, 1e-15}) {
      const standard_size size = plan_scored(32, keys, rate);
      EXPECT_LE(size.rate, rate);
      const double most = (1 - scored_fill) * real(size.bits);
      EXPECT_GE(uniform_layout(size.bits, 32).expected_zeros(real(keys)), most);
    }
  }
}

}  // namespace
}  // namespace bloomery::math
