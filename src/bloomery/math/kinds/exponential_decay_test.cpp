#include "bloomery/math/kinds/exponential_decay.hpp"

#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(exponential_decay_math, scores_fade_to_the_fill) {
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

TEST(exponential_decay_math, scored_filters_are_three_quarters_empty) {
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
