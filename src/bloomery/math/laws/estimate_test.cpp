#include "bloomery/math/laws/estimate.hpp"

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_count;
using bloomery::testing::plausible_value;
using bloomery::testing::simulated_bits;
using bloomery::testing::zeros_of;

struct scene {
  std::string name;
  bit_layout layout;
  ball_thrower thrower;
};

// About 4000 bits and k = 3 each: hundreds of keys leave enough zeros for the normal approximation
// that the intervals stand on.
std::vector<scene> scenes() {
  return {
      {"uniform", uniform_layout(4000, 3), ball_thrower::uniform(4000, 3)},
      {"partitioned", partitioned_layout(1333, 3), ball_thrower::partitioned(1333, 3)},
      {"blocked", lane_blocked_layout({}, 8, 3), ball_thrower::lane_blocked(8, 8, 64, 3)},
  };
}

TEST(estimate_keys, inverts_the_expected_zeros) {
  for (const scene& s : scenes()) {
    for (const double keys : {1.0, 10.0, 500.0, 2000.0}) {
      const double zeros = s.layout.expected_zeros(keys);
      const auto result = estimate_keys(s.layout, static_cast<std::uint64_t>(std::llround(zeros)));
      // Rounding to whole zeros moves the estimate by at most half a zero.
      EXPECT_NEAR(result.value, keys, -0.51 / (zeros * s.layout.log_avoid)) << s.name;
      EXPECT_LE(result.low, result.value);
      EXPECT_GE(result.high, result.value);
    }
  }
}

TEST(estimate_keys, at_interval_ends_the_zeros_would_be_z_deviations_off_or_more) {
  for (const scene& s : scenes()) {
    for (const double confidence : {0.5, 0.95, 0.999}) {
      const std::uint64_t zeros = 3000;
      const double z = normal_quantile(0.5 + confidence / 2);
      const auto result = estimate_keys(s.layout, zeros, confidence);
      const auto deviations = [&](double keys) {
        return (s.layout.expected_zeros(keys) - real(zeros)) /
               std::sqrt(s.layout.covariance(keys, keys, keys));
      };
      EXPECT_GE(deviations(result.low), z - 1e-6) << s.name;
      EXPECT_LE(deviations(result.high), -z + 1e-6) << s.name;
    }
  }
}

// 20,000 filters of each size, from those planned for three keys to such as are nearly empty.
TEST(estimate_keys, intervals_of_few_keys_cover_what_they_claim) {
  constexpr std::uint64_t trials = 20'000;
  std::mt19937_64 random(17);
  for (const auto& [m, k] : {std::pair{29U, 7U}, {96U, 7U}, {48U, 3U}, {4000U, 3U}}) {
    const bit_layout layout = uniform_layout(m, k);
    const ball_thrower thrower = ball_thrower::uniform(m, k);
    for (const std::uint64_t keys : {1U, 2U, 3U, 5U, 7U, 10U}) {
      std::vector<std::uint64_t> with_zeros(m + 1);
      for (std::uint64_t i = 0; i < trials; ++i) {
        simulated_bits bits(m, 0);
        thrower.insert(random, keys, bits);
        ++with_zeros[zeros_of(bits)];
      }
      for (const double confidence : {0.95, 0.99}) {
        std::uint64_t covered = 0;
        for (std::uint64_t zeros = 0; zeros <= m; ++zeros) {
          if (with_zeros[zeros] == 0) continue;
          const auto result = estimate_keys(layout, zeros, confidence);
          const bool inside = result.low <= real(keys) && real(keys) <= result.high;
          covered += inside ? with_zeros[zeros] : 0;
        }
        EXPECT_GE(binomial_lower(covered, trials, confidence), testing::significance)
            << m << ' ' << k << ' ' << keys << ' ' << confidence;
      }
    }
  }
}

TEST(estimate_keys, an_empty_filter_holds_nothing) {
  for (const scene& s : scenes()) {
    const auto result = estimate_keys(s.layout, s.thrower.bits());
    EXPECT_EQ(result.value, 0);
    EXPECT_EQ(result.low, 0);
    EXPECT_EQ(result.high, 0);
    EXPECT_FALSE(result.saturated);
  }
}

TEST(estimate_keys, a_full_filter_is_bounded_from_below_only) {
  for (const scene& s : scenes()) {
    const auto result = estimate_keys(s.layout, 0);
    EXPECT_TRUE(result.saturated) << s.name;
    EXPECT_TRUE(std::isinf(result.value));
    EXPECT_TRUE(std::isinf(result.high));
    // With so few keys that z deviations still leave a zero, it would not be full.
    EXPECT_GE(s.layout.expected_zeros(result.low) -
                  1.959964 * std::sqrt(s.layout.covariance(result.low, result.low, result.low)),
              -1e-6);
    const auto almost = estimate_keys(s.layout, 1);
    EXPECT_FALSE(almost.saturated);
    EXPECT_TRUE(std::isfinite(almost.value));
    EXPECT_TRUE(std::isfinite(almost.high));
    EXPECT_LT(almost.low, almost.value);
    EXPECT_GT(almost.high, almost.value);
  }
}

TEST(estimate_keys, one_bit_cells_say_only_empty_or_not) {
  for (const auto& layout : {uniform_layout(1, 3), partitioned_layout(1, 5)}) {
    const auto empty = estimate_keys(layout, static_cast<std::uint64_t>(layout.bits));
    EXPECT_EQ(empty.value, 0);
    const auto full = estimate_keys(layout, 0);
    EXPECT_TRUE(full.saturated);
    EXPECT_EQ(full.low, 1);
  }
}

// 2000 filters of each layout; coverage is tested against a binomial of the stated confidence, so a
// true coverage of 92.5 % or, from 500 keys on, 97.2 % would fail. With 100 keys the zeros vary by a few
// bits only, and since they are whole numbers the intervals cover more.
TEST(estimate_keys, is_right_on_average_and_as_confident_as_it_says) {
  constexpr int trials = 2000;
  for (const scene& s : scenes()) {
    for (const std::uint64_t keys : {100U, 500U, 2000U}) {
      SCOPED_TRACE(s.name + ", keys " + std::to_string(keys));
      std::mt19937_64 random(keys);
      double sum = 0;
      std::uint64_t covered = 0;
      for (int i = 0; i < trials; ++i) {
        simulated_bits bits(s.thrower.bits(), 0);
        s.thrower.insert(random, keys, bits);
        const auto result = estimate_keys(s.layout, zeros_of(bits));
        sum += result.value;
        const auto truth = real(keys);
        covered += result.low <= truth && truth <= result.high;
      }
      const double variance = s.layout.estimate_covariance(real(keys));
      // The logarithm bends: the mean is high by half the variance times |ln β|, to second order.
      const double bias = -s.layout.log_avoid * variance / 2;
      EXPECT_TRUE(plausible_value(sum / trials - bias, real(keys), std::sqrt(variance / trials)));
      EXPECT_GE(binomial_lower(covered, trials, default_confidence), testing::significance);
      if (keys > 100) {
        EXPECT_TRUE(plausible_count(covered, trials, default_confidence));
      }
    }
  }
}

struct overlap_run {
  double mean = 0;
  double mean_jaccard = 0;
  std::uint64_t common_covered = 0;
  std::uint64_t jaccard_covered = 0;
  std::uint64_t united_covered = 0;
};

overlap_run run_overlaps(const scene& s, std::uint64_t only_a, std::uint64_t only_b,
                         std::uint64_t common, int trials) {
  std::mt19937_64 random(only_a * 31 + only_b * 7 + common);
  overlap_run run;
  const auto truth = real(common);
  const auto all = real(only_a + only_b + common);
  const auto covers = [](const estimate& e, double value) {
    return e.low <= value && value <= e.high;
  };
  for (int i = 0; i < trials; ++i) {
    simulated_bits a(s.thrower.bits(), 0);
    simulated_bits b(s.thrower.bits(), 0);
    s.thrower.insert(random, common, a, b);
    s.thrower.insert(random, only_a, a);
    s.thrower.insert(random, only_b, b);
    std::uint64_t zeros_of_or = 0;
    for (std::size_t at = 0; at < a.size(); ++at) zeros_of_or += a[at] == 0 && b[at] == 0;
    const auto result = estimate_overlap(s.layout, zeros_of(a), zeros_of(b), zeros_of_or);
    run.mean += result.common.value / trials;
    run.mean_jaccard += result.jaccard.value / trials;
    run.common_covered += covers(result.common, truth);
    run.jaccard_covered += covers(result.jaccard, truth / all);
    run.united_covered += covers(result.united, all);
    EXPECT_LE(result.common.low, result.common.value);
    EXPECT_LE(result.common.value, result.common.high);
    EXPECT_EQ(result.first.value, estimate_keys(s.layout, zeros_of(a)).value);
    EXPECT_EQ(result.second.value, estimate_keys(s.layout, zeros_of(b)).value);
  }
  return run;
}

// The survey's case: 1000 and 1000 keys, 600 shared.
TEST(estimate_overlap, finds_six_hundred_common_keys) {
  constexpr int trials = 2000;
  for (const scene& s : scenes()) {
    SCOPED_TRACE(s.name);
    const overlap_run run = run_overlaps(s, 400, 400, 600, trials);
    const auto shared = [&](double keys) { return s.layout.estimate_covariance(keys); };
    const double variance = shared(1400) - 2 * shared(1000) + 2 * shared(600);
    const double bias = -s.layout.log_avoid * (2 * shared(1000) - shared(1400)) / 2;
    EXPECT_TRUE(plausible_value(run.mean - bias, 600, std::sqrt(variance / trials)));
    EXPECT_NEAR(run.mean, 600, 3);
    EXPECT_NEAR(run.mean_jaccard, 600.0 / 1400, 0.003);
    EXPECT_TRUE(plausible_count(run.common_covered, trials, default_confidence));
    EXPECT_TRUE(plausible_count(run.jaccard_covered, trials, default_confidence));
    EXPECT_TRUE(plausible_count(run.united_covered, trials, default_confidence));
  }
}

TEST(estimate_overlap, covers_unequal_sets) {
  constexpr int trials = 2000;
  for (const scene& s : scenes()) {
    SCOPED_TRACE(s.name);
    const overlap_run run = run_overlaps(s, 1000, 300, 200, trials);
    EXPECT_TRUE(plausible_count(run.common_covered, trials, default_confidence));
    EXPECT_TRUE(plausible_count(run.jaccard_covered, trials, default_confidence));
  }
}

// Clamping at what is possible may only help there: 95 % or more must cover.
TEST(estimate_overlap, covers_disjoint_nested_and_equal_sets) {
  constexpr int trials = 1000;
  for (const scene& s : scenes()) {
    for (const auto& [only_a, only_b, common] :
         {std::array<std::uint64_t, 3>{800, 800, 0}, {0, 800, 600}, {0, 0, 900}}) {
      SCOPED_TRACE(s.name + ' ' + std::to_string(only_a) + ' ' + std::to_string(only_b) + ' ' +
                   std::to_string(common));
      const overlap_run run = run_overlaps(s, only_a, only_b, common, trials);
      EXPECT_GT(binomial_lower(run.common_covered, trials, default_confidence),
                bloomery::testing::significance)
          << run.common_covered;
    }
  }
}

TEST(estimate_overlap, clamps_small_overlaps_at_zero) {
  const auto layout = uniform_layout(1000, 4);
  // Ones that fall apart more than chance would have it: the plain formula is negative.
  const auto result = estimate_overlap(layout, 600, 600, 300);
  EXPECT_LT(result.first.value + result.second.value, result.united.value);
  EXPECT_EQ(result.common.value, 0);
  EXPECT_EQ(result.common.low, 0);
  EXPECT_GE(result.common.high, 0);
  EXPECT_EQ(result.jaccard.value, 0);
}

TEST(estimate_overlap, of_equal_filters_is_everything) {
  for (const scene& s : scenes()) {
    const auto result = estimate_overlap(s.layout, 2500, 2500, 2500);
    EXPECT_DOUBLE_EQ(result.common.value, result.first.value);
    EXPECT_DOUBLE_EQ(result.jaccard.value, 1);
    EXPECT_DOUBLE_EQ(result.jaccard.high, 1);
  }
}

TEST(estimate_overlap, of_empty_filters_is_nothing) {
  for (const scene& s : scenes()) {
    const std::uint64_t bits = s.thrower.bits();
    const auto both = estimate_overlap(s.layout, bits, bits, bits);
    EXPECT_EQ(both.common.value, 0);
    EXPECT_EQ(both.common.high, 0);
    EXPECT_EQ(both.jaccard.value, 0);
    const auto one = estimate_overlap(s.layout, bits, 2500, 2500);
    EXPECT_EQ(one.common.value, 0);
    EXPECT_EQ(one.common.high, 0);
    EXPECT_EQ(one.jaccard.value, 0);
    EXPECT_GT(one.united.value, 0);
  }
}

TEST(estimate_overlap, says_when_the_union_is_full) {
  for (const scene& s : scenes()) {
    const auto result = estimate_overlap(s.layout, 2000, 0, 0);
    EXPECT_TRUE(result.common.saturated);
    EXPECT_TRUE(result.jaccard.saturated);
    EXPECT_EQ(result.common.low, 0);
    EXPECT_GE(result.common.high, result.first.value) << "all of the first may be in the second";
    EXPECT_TRUE(std::isfinite(result.common.high));
    const auto two = estimate_overlap(s.layout, 0, 0, 0);
    EXPECT_TRUE(std::isinf(two.common.high));
  }
}

// The interval holds the truth as often as it says, at the ends of the range too.
TEST(estimate_common, covers_the_common_keys) {
  constexpr std::uint64_t asked = 200;
  constexpr std::uint64_t trials = 2000;
  std::mt19937_64 random(1);
  for (const double rate : {0.001, 0.01, 0.3}) {
    for (const std::uint64_t common : {0U, 1U, 50U, 199U, 200U}) {
      SCOPED_TRACE(std::to_string(rate) + ' ' + std::to_string(common));
      std::binomial_distribution<std::uint64_t> claims(asked - common, rate);
      std::uint64_t covered = 0;
      double sum = 0;
      for (std::uint64_t i = 0; i < trials; ++i) {
        const estimate told = estimate_common(asked, common + claims(random), rate);
        EXPECT_LE(told.low, told.value);
        EXPECT_LE(told.value, told.high);
        covered += std::uint64_t{told.low <= real(common) && real(common) <= told.high};
        sum += told.value;
      }
      EXPECT_GT(binomial_lower(covered, trials, default_confidence),
                bloomery::testing::significance);
      if (common == 50) {  // far from the ends, where it is not clamped, it is without bias
        const double deviation = std::sqrt(real(asked - common) * rate / (1 - rate) / real(trials));
        EXPECT_TRUE(bloomery::testing::plausible_value(sum / real(trials), 50, deviation));
      }
    }
  }
}

TEST(estimate_common, is_exact_where_nothing_is_mistaken) {
  const estimate none = estimate_common(10, 4, 0);
  EXPECT_EQ(none.low, 4);
  EXPECT_EQ(none.value, 4);
  EXPECT_EQ(none.high, 4);
  const estimate nothing = estimate_common(0, 0, 0.5);
  EXPECT_EQ(nothing.high, 0);
  const estimate full = estimate_common(10, 10, 1);
  EXPECT_TRUE(full.saturated);
  EXPECT_EQ(full.low, 0);
  EXPECT_EQ(full.high, 10);
}

}  // namespace
}  // namespace bloomery::math
