#include "bloomery/math/laws/set_operations.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "sample.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_count;
using bloomery::testing::plausible_value;
using bloomery::testing::significance;
using bloomery::testing::simulated_bits;
using bloomery::testing::throws_error;

struct scene {
  std::uint64_t m;
  std::uint64_t k;
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t common;
};

TEST(union_rate, is_never_below_that_of_either) {  // theorem 1
  for (const std::uint64_t m : {10U, 1000U, 1'000'000U}) {
    for (const std::uint64_t k : {1U, 5U, 20U}) {
      for (const std::uint64_t a : {0U, 1U, 30U}) {
        for (const std::uint64_t b : {0U, 1U, 100U}) {
          for (const std::uint64_t common : {std::uint64_t{0}, std::min(a, b)}) {
            const double rate = union_rate(m, k, a, b, common);
            constexpr double rounding =
                1e-14;  // of rates that differ by less, either may be larger
            EXPECT_GE(rate, exact_rate(m, a, k) - rounding);
            EXPECT_GE(rate, exact_rate(m, b, k) - rounding);
            EXPECT_EQ(rate, exact_rate(m, a + b - common, k));
          }
        }
      }
    }
  }
}

TEST(intersection_fill, is_broder_and_mitzenmachers_inner_product) {
  for (const auto& [m, k, a, b, common] :
       {scene{1000, 5, 100, 80, 30}, scene{64, 3, 10, 4, 0}, scene{64, 3, 10, 4, 4}}) {
    const auto zero = [&, mm = m, kk = k](std::uint64_t keys) {
      return std::pow(1 - 1 / real(mm), real(kk * keys));
    };
    EXPECT_NEAR(intersection_fill(m, k, a, b, common), 1 - zero(a) - zero(b) + zero(a + b - common),
                1e-14);
  }
  // Tiny fills keep their digits: two lone balls meet in one bin of 10^12.
  EXPECT_NEAR(intersection_fill(1'000'000'000'000, 1, 1, 1, 0) / 1e-24, 1, 1e-11);
  EXPECT_EQ(intersection_fill(1, 3, 2, 2, 1), 1);
  EXPECT_EQ(intersection_fill(10, 3, 2, 0, 0), 0);
}

// Every outcome of every ball, m = 3 and k = 2: one key of A alone, one of B alone, perhaps one of
// both, and a stranger.
TEST(intersection_rate, counts_every_outcome_of_a_tiny_filter) {
  constexpr std::uint64_t m = 3;
  for (const std::uint64_t common : {0U, 1U}) {
    const std::uint64_t balls = 2 * (3 + common);
    std::uint64_t outcomes = 1;
    for (std::uint64_t i = 0; i < balls; ++i) outcomes *= m;
    double positives = 0;
    double ones = 0;
    double exact = 0;
    for (std::uint64_t code = 0; code < outcomes; ++code) {
      std::uint64_t rest = code;
      const auto key = [&] {
        unsigned bits = 0;
        for (int ball = 0; ball < 2; ++ball, rest /= m) bits |= 1U << rest % m;
        return bits;
      };
      const unsigned query = key();
      const unsigned only_a = key();
      const unsigned only_b = key();
      const unsigned both = common == 1 ? key() : 0;
      const unsigned conjunction = (only_a | both) & (only_b | both);
      positives += (conjunction & query) == query;
      ones += std::popcount(conjunction);
      exact += conjunction == both;
    }
    const double cases = real(outcomes);
    EXPECT_NEAR(intersection_rate(m, 2, 1 + common, 1 + common, common), positives / cases, 1e-15);
    EXPECT_NEAR(intersection_fill(m, 2, 1 + common, 1 + common, common), ones / cases / m, 1e-15);
    EXPECT_LT(and_is_exact_probability(m, 2, 1, 1), exact / cases) << "theorem 2 errs low";
  }
}

TEST(intersection_rate, is_the_exact_rate_when_the_sets_are_one) {
  for (const std::uint64_t k : {1U, 7U, 64U}) {
    for (const std::uint64_t m : {std::uint64_t{10}, std::uint64_t{1000}, max_bits}) {
      const std::uint64_t n = m / 10;
      EXPECT_NEAR(intersection_rate(m, k, n, n, n) / exact_rate(m, n, k), 1, 1e-12);
      // A full filter is no restriction.
      EXPECT_NEAR(intersection_rate(10, k, 10'000, 7, 0) / exact_rate(10, 7, k), 1, 1e-12);
    }
  }
  EXPECT_EQ(intersection_rate(1000, 7, 100, 0, 0), 0);
}

TEST(intersection_rate, lies_between_its_approximation_and_either_filter) {
  for (const auto& [m, k, a, b, common] :
       {scene{1000, 5, 100, 80, 30}, scene{64, 3, 10, 4, 0}, scene{100'000, 10, 5000, 9000, 100}}) {
    const double rate = intersection_rate(m, k, a, b, common);
    EXPECT_GT(rate, std::pow(intersection_fill(m, k, a, b, common), real(k)));
    EXPECT_LT(rate, exact_rate(m, a, k));
    EXPECT_LT(rate, exact_rate(m, b, k));
    EXPECT_GT(rate, exact_rate(m, common, k)) << "the and has more ones than the common keys set";
    EXPECT_LT(rate, intersection_rate(m, k, a, b, common + 1));
  }
}

// 200,000 pairs of filters, one stranger each; the fill from its mean over all of them.
TEST(simulation, agrees_with_the_rate_and_fill_of_the_and) {
  constexpr std::uint64_t trials = 200'000;
  for (const auto& [m, k, a, b, common] : {scene{24, 4, 5, 4, 1}, scene{24, 3, 5, 5, 0}}) {
    const auto thrower = ball_thrower::uniform(m, k);
    std::mt19937_64 random(m);
    std::uint64_t hits = 0;
    testing::sample and_ones;
    for (std::uint64_t i = 0; i < trials; ++i) {
      simulated_bits first(m, 0);
      simulated_bits second(m, 0);
      thrower.insert(random, common, first, second);
      thrower.insert(random, a - common, first);
      thrower.insert(random, b - common, second);
      bool positive = true;
      thrower.throw_key(random, [&](std::uint64_t at) {
        positive = positive && first[at] != 0 && second[at] != 0;
      });
      hits += positive;
      double ones = 0;
      for (std::size_t at = 0; at < m; ++at) ones += first[at] != 0 && second[at] != 0;
      and_ones.add(ones);
    }
    const double rate = intersection_rate(m, k, a, b, common);
    const double fill = intersection_fill(m, k, a, b, common);
    EXPECT_TRUE(plausible_count(hits, trials, rate));
    EXPECT_FALSE(plausible_count(hits, trials, std::pow(fill, real(k))));
    EXPECT_TRUE(testing::plausible_mean(and_ones, fill * real(m)));
  }
}

std::uint64_t simulated_exact_ands(const scene& s, std::uint64_t trials) {
  const auto thrower = ball_thrower::uniform(s.m, s.k);
  std::mt19937_64 random(s.m + s.common);
  std::uint64_t exact = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    simulated_bits first(s.m, 0);
    simulated_bits second(s.m, 0);
    simulated_bits both(s.m, 0);
    thrower.insert(random, s.common, first, second, both);
    thrower.insert(random, s.a - s.common, first);
    thrower.insert(random, s.b - s.common, second);
    bool equal = true;
    for (std::size_t at = 0; at < s.m; ++at) {
      equal = equal && (both[at] != 0) == (first[at] != 0 && second[at] != 0);
    }
    exact += equal;
  }
  return exact;
}

// Sparse filters, 40,000 pairs, are as theorem 2 says; in fuller ones (400,000 pairs of 20 bits), or
// with common keys (40,000 pairs), the and is exact significantly more often.
TEST(simulation, shows_that_theorem_2_errs_low) {
  const auto predicted = [](const scene& s) {
    return and_is_exact_probability(s.m, s.k, s.a - s.common, s.b - s.common);
  };
  constexpr std::uint64_t trials = 40'000;
  const scene sparse{2000, 3, 8, 12, 0};
  EXPECT_NEAR(predicted(sparse), std::exp(-0.432), 2e-4);
  EXPECT_TRUE(plausible_count(simulated_exact_ands(sparse, trials), trials, predicted(sparse)));
  const auto exceeds = [&](const scene& s, std::uint64_t pairs) {
    return binomial_upper(simulated_exact_ands(s, pairs), pairs, predicted(s)) < significance;
  };
  EXPECT_TRUE(exceeds({20, 3, 2, 2, 0}, 10 * trials));
  EXPECT_TRUE(exceeds({300, 3, 55, 55, 50}, trials));
}

TEST(and_is_exact_probability, is_exact_for_single_balls) {
  EXPECT_DOUBLE_EQ(and_is_exact_probability(100, 1, 1, 1), 0.99);
  EXPECT_EQ(and_is_exact_probability(1, 3, 0, 5), 1) << "nothing of A alone can meet";
  EXPECT_EQ(and_is_exact_probability(1, 3, 1, 5), 0);
  EXPECT_DOUBLE_EQ(and_is_exact_probability(100, 2, 3, 4), std::pow(0.99, 48));
}

TEST(set_operations, refuse_what_they_cannot_compute) {
  const auto refuses = [](const char* part, const scene& s) {
    return throws_error(errc::invalid, part,
                        [&] { (void)union_rate(s.m, s.k, s.a, s.b, s.common); }) &&
           throws_error(errc::invalid, part,
                        [&] { (void)intersection_fill(s.m, s.k, s.a, s.b, s.common); }) &&
           throws_error(errc::invalid, part,
                        [&] { (void)intersection_rate(s.m, s.k, s.a, s.b, s.common); });
  };
  EXPECT_TRUE(refuses("common keys is 6; allowed: 0 to 5", {100, 3, 10, 5, 6}));
  EXPECT_TRUE(refuses("bits is 0;", {0, 3, 10, 5, 1}));
  EXPECT_TRUE(refuses("hashes is 65;", {100, 65, 10, 5, 1}));
  EXPECT_TRUE(refuses("keys of the first set is 281474976710657;", {100, 3, max_keys + 1, 5, 1}));
  EXPECT_TRUE(refuses("keys of the second set is 281474976710657;", {100, 3, 5, max_keys + 1, 1}));
  EXPECT_TRUE(throws_error(errc::invalid, "bits is 0;",
                           [] { (void)and_is_exact_probability(0, 1, 1, 1); }));
}

TEST(any_claims, is_one_minus_the_product_of_what_each_lets_go) {
  EXPECT_EQ(any_claims({}), 0);
  EXPECT_DOUBLE_EQ(any_claims(std::array{0.5, 0.25}), 0.625);
  EXPECT_EQ(any_claims(std::array{0.1, 1.0}), 1);
  EXPECT_DOUBLE_EQ(any_claims(std::array{1e-20, 2e-20}), 3e-20);
}

}  // namespace
}  // namespace bloomery::math
