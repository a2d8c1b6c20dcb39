#include "bloomery/math/kinds/best_of_n.hpp"

#include <cmath>
#include <numeric>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// All 5^6 ways to throw six balls into five bins.
TEST(best_of, the_law_of_occupied_bins_is_that_of_every_throw_counted) {
  std::vector<double> counted(6);
  for (int code = 0; code < 15625; ++code) {
    unsigned hit = 0;
    for (int ball = 0, rest = code; ball < 6; ++ball, rest /= 5) hit |= 1U << (rest % 5);
    counted[static_cast<std::size_t>(__builtin_popcount(hit))] += 1.0 / 15625;
  }
  const std::vector<double> law = occupied_law(5, 6);
  ASSERT_EQ(law.size(), 6U);
  for (std::size_t i = 0; i < law.size(); ++i) EXPECT_NEAR(law[i], counted[i], 1e-13);
  const std::vector<double> large = occupied_law(8192, 5632);
  EXPECT_NEAR(std::accumulate(large.begin(), large.end(), 0.0), 1, 1e-12);
}

// One seed is the standard filter, by another road: Σ (i/m)^k·P(i occupied).
TEST(best_of, one_seed_is_the_standard_filter) {
  const std::vector<double> law = occupied_law(300, 20 * 9);
  double rate = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    rate += law[i] * std::pow(real(i) / 300, 9);
  }
  EXPECT_NEAR(rate / exact_rate(300, 20, 9), 1, 1e-12);
  EXPECT_EQ(best_of_rate(300, 20, 9, 1), exact_rate(300, 20, 9));
  EXPECT_EQ(best_of_rate(300, 0, 9, 10), 0);
}

// The rate of the least of two, by all pairs.
TEST(best_of, two_seeds_are_the_lesser_of_every_pair) {
  const std::vector<double> law = occupied_law(60, 40);
  double rate = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    for (std::size_t j = 0; j < law.size(); ++j) {
      rate += law[i] * law[j] * std::pow(real(std::min(i, j)) / 60, 4);
    }
  }
  EXPECT_NEAR(best_of_rate(60, 10, 4, 2) / rate, 1, 1e-12);
}

// One seed has the ones of a standard filter, m·(1 - (1 - 1/m)^kn); the least of three is counted by all triples.
TEST(best_of, the_fewest_ones_are_the_least_of_every_throw) {
  EXPECT_NEAR(fewest_ones(300, 20, 9, 1), 300 * (1 - std::pow(1 - 1.0 / 300, 180)), 1e-9);
  EXPECT_EQ(fewest_ones(300, 0, 9, 4), 0);
  const std::vector<double> law = occupied_law(20, 12);
  const std::vector<double> least = fewest_occupied_law(20, 12, 3);
  std::vector<double> counted(law.size());
  for (std::size_t i = 0; i < law.size(); ++i) {
    for (std::size_t j = 0; j < law.size(); ++j) {
      for (std::size_t h = 0; h < law.size(); ++h) {
        counted[std::min({i, j, h})] += law[i] * law[j] * law[h];
      }
    }
  }
  double mean = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    EXPECT_NEAR(least[i], counted[i], 1e-12) << i;
    mean += real(i) * counted[i];
  }
  EXPECT_NEAR(fewest_ones(20, 4, 3, 3), mean, 1e-11);
}

TEST(best_of, the_normal_law_takes_over_smoothly) {
  for (const std::uint64_t n : {60U, 130U}) {
    for (const std::uint64_t seeds : {2U, 16U, 256U}) {
      const double exact = best_of_rate(10 * n, n, 7, seeds);
      EXPECT_NEAR(best_of_rate_normal(10 * n, n, 7, seeds) / exact, 1, 2e-3);
    }
  }
}

TEST(best_of, the_gain_dies_with_the_size) {
  const auto gain = [](std::uint64_t n) {
    return 1 - best_of_rate(10 * n, n, 7, 16) / exact_rate(10 * n, n, 7);
  };
  EXPECT_GT(gain(20), 0.3);
  EXPECT_NEAR(gain(1000), 0.07, 0.03);
  EXPECT_NEAR(gain(1'000'000), 0.002, 0.0005);
}

TEST(best_of, plans_are_the_smallest_and_below_the_standard) {
  for (const std::uint64_t keys : {1U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6}) {
      const best_of_size size = plan_best_of(keys, rate, 16);
      EXPECT_LE(best_of_rate(size.bits, keys, size.hashes, 16), rate);
      if (size.bits > 1) {
        EXPECT_GT(best_of_rate(size.bits - 1, keys, size.hashes, 16), rate);
      }
      EXPECT_LT(size.bits, plan_standard(keys, rate).bits);
    }
  }
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "rate", [] { (void)plan_best_of(max_keys, 0.01, 16); }));
}

}  // namespace
}  // namespace bloomery::math
