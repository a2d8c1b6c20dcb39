#include "bloomery/math/laws/concentration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_count;
using bloomery::testing::significance;
using bloomery::testing::simulated_bits;
using bloomery::testing::throws_error;
using bloomery::testing::zeros_of;

TEST(azuma, is_the_published_formula) {
  // 2·exp(-2·0.01²·10^8/(1000·7)), m = 10^4
  EXPECT_DOUBLE_EQ(azuma_tail(10'000, 1000, 7, 0.01), 2 * std::exp(-20.0 / 7));
  EXPECT_EQ(azuma_tail(10'000, 1000, 7, 1e-6), 1) << "no probability is above 1";
  EXPECT_EQ(azuma_tail(10'000, 0, 7, 0.01), 0);
  EXPECT_EQ(azuma_deviation(10'000, 0, 7, 0.99), 0);
}

TEST(azuma, deviation_inverts_the_tail) {
  for (const std::uint64_t m : {std::uint64_t{100}, std::uint64_t{1'000'000}, max_bits}) {
    for (const double confidence : {0.5, 0.95, 0.999999}) {
      const double deviation = azuma_deviation(m, m / 10, 7, confidence);
      EXPECT_NEAR(azuma_tail(m, m / 10, 7, deviation) / (1 - confidence), 1, 1e-9);
    }
  }
}

// 20,000 filters at loads where each of the two bounds is the narrower one: neither end is passed more
// often than the bound allows.
TEST(chernoff, bounds_the_fill) {
  constexpr std::uint64_t m = 400;
  constexpr std::uint64_t k = 2;
  constexpr std::uint64_t trials = 20'000;
  constexpr double confidence = 0.8;
  for (const std::uint64_t n : {20U, 140U, 600U}) {
    const auto [mean, low, high] = chernoff_fill(m, n, k, confidence);
    std::mt19937_64 random(n);
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
      simulated_bits bits(m, 0);
      ball_thrower::uniform(m, k).insert(random, n, bits);
      const double fill = 1 - real(zeros_of(bits)) / real(m);
      below += std::uint64_t{fill < low};
      above += std::uint64_t{fill > high};
    }
    EXPECT_TRUE(testing::plausible_limit(below, trials, (1 - confidence) / 2)) << n;
    EXPECT_TRUE(testing::plausible_limit(above, trials, (1 - confidence) / 2)) << n;
    EXPECT_DOUBLE_EQ(mean, -std::expm1(real(n * k) * std::log1p(-1 / real(m))));
    const double azuma = azuma_deviation(m, n, k, confidence);
    EXPECT_EQ(high - mean < azuma, n == 600) << "the narrower of the two bounds, by load";
  }
}

// The ends are where e^{-m·KL} is the half of what may stray.
TEST(chernoff, solves_for_the_divergence) {
  for (const std::uint64_t m : {100ULL, 1'000'000ULL, 1'000'000'000'000ULL}) {
    for (const double confidence : {0.5, 0.99, 0.999999}) {
      const auto [p, low, high] = chernoff_fill(m, m / 10, 7, confidence);
      for (const double x : {low, high}) {
        const double divergence = x * std::log(x / p) + (1 - x) * std::log((1 - x) / (1 - p));
        EXPECT_NEAR(real(m) * divergence / std::log(2 / (1 - confidence)), 1, 1e-2);
      }
    }
  }
  EXPECT_EQ(chernoff_fill(1000, 0, 7, 0.99).high, 0);
  EXPECT_EQ(chernoff_fill(1, 1, 1, 0.99).high, 1);
  EXPECT_TRUE(throws_error(errc::invalid, "confidence", [] { (void)chernoff_fill(9, 9, 1, 1); }));
}

TEST(mcdiarmid, reproduces_the_published_bound) {
  EXPECT_NEAR(mcdiarmid_rate_bound(1'000'000, 100'000, 7), 0.008435, 5e-7);
}

TEST(mcdiarmid, bounds_the_exact_rate_and_approaches_it) {
  for (const std::uint64_t k : {1U, 2U, 7U, 20U, 64U}) {
    double last = std::numeric_limits<double>::infinity();
    for (const std::uint64_t m : {1000ULL, 1'000'000ULL, 1'000'000'000'000ULL}) {
      const std::uint64_t n = m / k / 10 * 7;
      const double exact = exact_rate(m, n, k);
      const double bound = mcdiarmid_rate_bound(m, n, k);
      EXPECT_LE(bound, 1);
      EXPECT_GE(bound, exact * (1 - 1e-12)) << m << ' ' << k;
      EXPECT_LT(bound / exact, last) << m << ' ' << k;
      last = bound / exact;
    }
    EXPECT_LT(last, 1.001) << "at a trillion bits";
  }
  for (const std::uint64_t m : {1U, 2U, 10U}) {
    for (const std::uint64_t n : {1U, 5U, 100U}) {
      EXPECT_GE(mcdiarmid_rate_bound(m, n, 3), exact_rate(m, n, 3) * (1 - 1e-12));
      EXPECT_LE(mcdiarmid_rate_bound(m, n, 3), 1);
    }
  }
  EXPECT_EQ(mcdiarmid_rate_bound(1000, 0, 7), 0);
}

// No t on a fine grid does better.
TEST(mcdiarmid, is_the_minimum) {
  struct row {
    std::uint64_t m;
    std::uint64_t n;
    std::uint64_t k;
  };
  for (const auto& [m, n, k] : {row{1000, 100, 7}, row{100, 10, 3}, row{1'000'000, 100'000, 7},
                                row{1000, 3, 40}, row{1000, 2000, 1}}) {
    const double p = -std::expm1(real(n * k) * std::log1p(-1 / real(m)));
    const double bound = mcdiarmid_rate_bound(m, n, k);
    constexpr int steps = 100'000;
    double least = 1;
    for (int i = 0; i <= steps; ++i) {
      const double t = (1 - p) * i / steps;
      const double value =
          std::pow(p + t, real(k)) + std::exp(-2 * t * t * real(m) * real(m) / (real(k) * real(n)));
      least = std::min(least, value);
    }
    EXPECT_LE(bound, least * (1 + 1e-12)) << m << ' ' << n << ' ' << k;
    EXPECT_GE(bound, least * (1 - 1e-6)) << m << ' ' << n << ' ' << k;
  }
}

TEST(bose, reports_its_bound) {
  const auto [lower, upper, term, applies] = bose_rate_bound(1'000'000, 100'000, 7);
  EXPECT_EQ(lower, classic_rate(1'000'000, 100'000, 7));
  // (7/p)·√((ln 10^6 - 7·ln p)/10^6), p = 1 - (1-10^-6)^700000 = 0.50341487
  const double p = 0.50341487;
  EXPECT_NEAR(term, 7 / p * std::sqrt((13.815510558 - 7 * std::log(p)) / 1e6), 1e-8);
  EXPECT_DOUBLE_EQ(upper, lower * (1 + term));
  EXPECT_TRUE(applies);
  EXPECT_LT(lower, exact_rate(1'000'000, 100'000, 7));
  EXPECT_FALSE(bose_rate_bound(32, 4, 6).applies) << "the term is 15 there";
  EXPECT_EQ(bose_rate_bound(32, 4, 6).upper,
            bose_rate_bound(32, 4, 6).lower * (1 + bose_rate_bound(32, 4, 6).term));
  EXPECT_EQ(bose_rate_bound(10, 10'000, 6).upper, 1) << "no rate is above 1";
  const auto empty = bose_rate_bound(1000, 0, 7);
  EXPECT_EQ(empty.lower, 0);
  EXPECT_FALSE(empty.applies);
}

struct scene {
  std::string name;
  bit_layout layout;
  ball_thrower thrower;
};

// 4000 filters each. The ones are whole numbers, so the coverage to expect is the normal law's over
// the whole numbers within the interval, half a bit beyond each end.
TEST(expected_fill, covers_as_often_as_it_says) {
  constexpr std::uint64_t trials = 4000;
  constexpr std::uint64_t keys = 400;
  constexpr std::uint64_t k = 3;
  const std::vector<scene> scenes{
      {"uniform", uniform_layout(2000, k), ball_thrower::uniform(2000, k)},
      {"partitioned", partitioned_layout(667, k), ball_thrower::partitioned(667, k)},
      {"blocked", lane_blocked_layout({}, 4, k), ball_thrower::lane_blocked(4, 8, 64, k)},
  };
  const auto normal = [](double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; };
  for (const scene& s : scenes) {
    SCOPED_TRACE(s.name);
    const double bits = s.layout.bits;
    const std::array confidences{0.5, 0.9, 0.99};
    std::array<std::uint64_t, 3> covered{};
    std::mt19937_64 random(2010);
    for (std::uint64_t i = 0; i < trials; ++i) {
      simulated_bits filter(s.thrower.bits(), 0);
      s.thrower.insert(random, keys, filter);
      const double fill = 1 - real(zeros_of(filter)) / bits;
      for (std::size_t c = 0; c < confidences.size(); ++c) {
        const auto range = expected_fill(s.layout, real(keys), confidences.at(c));
        covered.at(c) += range.low <= fill && fill <= range.high;
      }
    }
    const double deviation = std::sqrt(s.layout.covariance(real(keys), real(keys), real(keys)));
    for (std::size_t c = 0; c < confidences.size(); ++c) {
      const auto [mean, low, high] = expected_fill(s.layout, real(keys), confidences.at(c));
      const double least = std::ceil(low * bits);
      const double most = std::floor(high * bits);
      const double expected = normal((most + 0.5 - mean * bits) / deviation) -
                              normal((least - 0.5 - mean * bits) / deviation);
      EXPECT_NEAR(expected, confidences.at(c), 0.04);
      EXPECT_TRUE(plausible_count(covered.at(c), trials, expected)) << confidences.at(c);
    }
  }
}

// 4000 filters: the fill strays beyond the deviation no more often than the bound allows. It knows
// nothing of two balls in one bin, so the truth is rarer; how much, the exact variance tells.
TEST(azuma, bounds_how_far_simulated_fills_stray) {
  constexpr std::uint64_t trials = 4000;
  const auto thrower = ball_thrower::uniform(2000, 3);
  const auto layout = uniform_layout(2000, 3);
  const double mean = expected_fill(layout, 400, 0.5).mean;
  const double deviation = std::sqrt(layout.covariance(400, 400, 400)) / 2000;
  const double allowed = azuma_deviation(2000, 400, 3, 0.2);
  std::mt19937_64 random(1967);
  std::uint64_t strayed = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    simulated_bits filter(2000, 0);
    thrower.insert(random, 400, filter);
    const double fill = 1 - real(zeros_of(filter)) / 2000;
    strayed += std::abs(fill - mean) >= allowed;
  }
  EXPECT_GT(binomial_upper(strayed, trials, azuma_tail(2000, 400, 3, allowed)), significance);
  EXPECT_GT(strayed, 0U) << "or the sample says nothing";
  EXPECT_LT(std::erfc(allowed / deviation / std::sqrt(2.0)), azuma_tail(2000, 400, 3, allowed));
}

TEST(expected_fill, has_the_exact_mean_and_keeps_within_zero_and_one) {
  const auto layout = uniform_layout(1000, 7);
  const auto [mean, low, high] = expected_fill(layout, 100, 0.95);
  EXPECT_NEAR(mean, 1 - std::pow(0.999, 700), 1e-15);
  const double deviation = std::sqrt(layout.covariance(100, 100, 100)) / 1000;
  EXPECT_NEAR(high - mean, 1.959963984540054 * deviation, 1e-12);
  EXPECT_NEAR(mean - low, 1.959963984540054 * deviation, 1e-12);
  for (const double keys : {0.0, 1.0, 3.0, 1e4, 1e9}) {
    for (const std::uint64_t m : {1U, 2U, 10U, 1000U}) {
      const auto range = expected_fill(uniform_layout(m, 7), keys, 0.999999);
      EXPECT_GE(range.low, 0);
      EXPECT_LE(range.low, range.mean);
      EXPECT_LE(range.mean, range.high);
      EXPECT_LE(range.high, 1);
    }
  }
  EXPECT_EQ(expected_fill(layout, 0, 0.95).high, 0);
  // A single ball in a trillion bits: all digits of the mean are there.
  EXPECT_NEAR(expected_fill(uniform_layout(1'000'000'000'000, 1), 1, 0.95).mean, 1e-12, 1e-27);
}

TEST(concentration, refuses_what_it_cannot_compute) {
  EXPECT_TRUE(throws_error(errc::invalid, "bits is 0;", [] { (void)azuma_tail(0, 1, 1, 0.1); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "hashes is 65;", [] { (void)azuma_deviation(9, 1, 65, 0.1); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "bits is 0;", [] { (void)mcdiarmid_rate_bound(0, 1, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes is 0;", [] { (void)bose_rate_bound(9, 1, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "epsilon is 0;", [] { (void)azuma_tail(9, 1, 1, 0); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "confidence is 1;", [] { (void)azuma_deviation(9, 1, 1, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "confidence is 0;",
                           [] { (void)expected_fill(uniform_layout(9, 1), 1, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys is -1;",
                           [] { (void)expected_fill(uniform_layout(9, 1), -1, 0.5); }));
}

// Of parts that are full or empty the bound is of a binomial count; of one part it is Markov's.
TEST(parted_rate_tail, is_above_the_binomial_tail) {
  for (const std::uint64_t parts : {1U, 7U, 100U, 3000U}) {
    for (const double expected : {0.3, 0.01}) {
      for (std::uint64_t full = 1; full <= parts; full += 1 + full / 3) {
        const double share = real(full) / real(parts);
        const double bound = parted_rate_tail(real(parts), expected, share);
        EXPECT_GE(bound, binomial_upper(full, parts, expected) * (1 - 1e-12)) << full << parts;
        EXPECT_LE(bound, 1);
      }
    }
  }
  EXPECT_NEAR(parted_rate_tail(1, 0.01, 1), 0.01, 1e-15);
  EXPECT_EQ(parted_rate_tail(5, 0.01, 0.01), 1);
  EXPECT_EQ(parted_rate_tail(5, 0, 0.5), 0);
  EXPECT_LT(parted_rate_tail(2000, 0.01, 0.03), 1e-6);
}

}  // namespace
}  // namespace bloomery::math
