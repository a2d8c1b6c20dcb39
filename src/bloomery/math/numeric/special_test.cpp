// References: published tables, recomputed with 60-digit arithmetic; sums done term by term.
#include "bloomery/math/numeric/special.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

void expect_close(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

TEST(normal_quantile, agrees_with_the_tables) {
  struct row {
    double p;
    double x;
  };
  for (const auto& [p, x] :
       std::array{row{0.6, 0.25334710313579978}, row{0.75, 0.67448975019608171},
                  row{0.9, 1.2815515655446004}, row{0.975, 1.9599639845400543},
                  row{0.995, 2.5758293035489008}, row{0.9995, 3.2905267314918949},
                  row{1e-6, -4.7534243088228987}, row{1e-9, -5.9978070150076865},
                  row{1e-12, -7.0344838253011321}, row{0.499, -0.002506630899571764}}) {
    expect_close(normal_quantile(p), x, 1e-13);
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(normal_quantile, inverts_the_tail_to_the_smallest_probabilities) {
  for (int power = 0; power < 350; ++power) {
    const double p = 0.4 * std::pow(7.0, -power);
    const double x = normal_quantile(p);
    // The tail moves by x² times the relative error of x.
    expect_close(std::erfc(-x / std::sqrt(2.0)) / 2, p, 1e-15 * (10 + 3 * x * x));
    if (p > 1e-3) expect_close(normal_quantile(1 - p), -x, 1e-12);
  }
}

TEST(chi_square_upper, agrees_with_the_tables) {
  expect_close(chi_square_upper(3.841458820694124, 1), 0.05, 1e-12);
  expect_close(chi_square_upper(7.814727903251179, 3), 0.05, 1e-12);
  expect_close(chi_square_upper(18.307038053275146, 10), 0.05, 1e-12);
  expect_close(chi_square_upper(135.80672317102676, 100), 0.01, 1e-12);
  expect_close(chi_square_upper(100, 5), 5.28514836094324e-20, 1e-12);
  expect_close(chi_square_upper(20, 30), 0.9165415270653372, 1e-12);
  EXPECT_EQ(chi_square_upper(0, 4), 1);
}

// An even number of degrees is a Poisson tail: e^{-x/2} Σ_{i < freedom/2} (x/2)^i / i!.
TEST(chi_square_upper, is_a_poisson_sum_for_even_degrees) {
  for (const int freedom : {2, 4, 20, 100, 1000}) {
    for (const double spread : {0.2, 0.8, 1.0, 1.2, 2.0}) {
      const double x = spread * freedom;
      long double term = std::exp(-static_cast<long double>(x) / 2);
      long double sum = 0;
      for (int i = 0; i < freedom / 2; ++i) {
        sum += term;
        term *= static_cast<long double>(x) / 2 / (i + 1);
      }
      expect_close(chi_square_upper(x, freedom), static_cast<double>(sum), 1e-11);
    }
  }
}

// One degree is Cauchy's law; two and four have closed forms; many are the normal law.
TEST(student_two_sided, agrees_with_closed_forms) {
  for (const double t : {0.1, 1.0, 2.5, 6.0}) {
    expect_close(student_two_sided(t, 1), 1 - 2 * std::atan(t) / M_PI, 1e-12);
    expect_close(student_two_sided(-t, 2), 1 - t / std::sqrt(2 + t * t), 1e-12);
    const double s = t / std::sqrt(4 + t * t);
    expect_close(student_two_sided(t, 4), 1 - (3 * s - s * s * s) / 2, 1e-11);
    expect_close(student_two_sided(t, 1e9), std::erfc(t / std::sqrt(2.0)), 1e-5);
  }
  EXPECT_EQ(student_two_sided(0, 5), 1);
}

TEST(binomial, agrees_with_exact_fractions) {
  expect_close(binomial_upper(60, 100, 0.5), 0.028443966820490395, 1e-12);
  expect_close(binomial_upper(1, 10, 0.01), 0.095617924991195508, 1e-12);
  expect_close(binomial_upper(30, 1000, 0.01), 2.0599888509719576e-07, 1e-11);
  expect_close(binomial_upper(5, 5, 0.3), 0.00243, 1e-12);
  expect_close(binomial_upper(600, 1000, 0.5), 1.3642320780330092e-10, 1e-11);
}

TEST(binomial, is_the_sum_of_its_terms) {
  for (const std::uint64_t trials : {1U, 2U, 7U, 50U, 400U}) {
    for (const double p : {1e-6, 0.03, 0.5, 0.9}) {
      const auto n = static_cast<long double>(trials);
      const auto chance = static_cast<long double>(p);
      std::vector<long double> terms;
      for (std::uint64_t i = 0; i <= trials; ++i) {
        const auto hits = static_cast<long double>(i);
        terms.push_back(std::exp(std::lgamma(n + 1) - std::lgamma(hits + 1) -
                                 std::lgamma(n - hits + 1) + hits * std::log(chance) +
                                 (n - hits) * std::log1p(-chance)));
      }
      for (std::uint64_t hits = 0; hits <= trials; ++hits) {
        long double lower = 0;
        for (std::uint64_t i = 0; i <= hits; ++i) lower += terms[i];
        long double upper = 0;
        for (std::uint64_t i = trials; i + 1 > hits; --i) {
          upper += terms[i];
          if (i == 0) break;
        }
        expect_close(binomial_upper(hits, trials, p), static_cast<double>(upper), 1e-10);
        expect_close(binomial_lower(hits, trials, p), static_cast<double>(lower), 1e-10);
      }
    }
  }
}

TEST(binomial, edges) {
  EXPECT_EQ(binomial_upper(0, 10, 0.3), 1);
  EXPECT_EQ(binomial_upper(11, 10, 0.3), 0);
  EXPECT_EQ(binomial_lower(10, 10, 0.3), 1);
  EXPECT_EQ(binomial_upper(1, 10, 0), 0);
  EXPECT_EQ(binomial_upper(10, 10, 1), 1);
  EXPECT_EQ(binomial_lower(9, 10, 1), 0);
}

TEST(binomial, two_sided_doubles_the_smaller_tail) {
  expect_close(binomial_two_sided(60, 100, 0.5), 2 * 0.028443966820490395, 1e-12);
  expect_close(binomial_two_sided(40, 100, 0.5), 2 * 0.028443966820490395, 1e-12);
  EXPECT_EQ(binomial_two_sided(50, 100, 0.5), 1);
  EXPECT_EQ(binomial_two_sided(1, 10, 0), 0);
}

// A billion trials: the normal approximation is good to 1e-4 there, the sum must agree.
TEST(binomial, holds_for_many_trials) {
  const std::uint64_t trials = 1'000'000'000;
  const double p = 0.01;
  const double mean = 1e7;
  const double deviation = std::sqrt(mean * (1 - p));
  for (const double z : {-4.0, -1.0, 1.0, 4.0}) {
    const auto hits = static_cast<std::uint64_t>(std::llround(mean + z * deviation));
    const double edge = (real(hits) - 0.5 - mean) / deviation;
    const double skew = (1 - 2 * p) / deviation;
    const double density = std::exp(-edge * edge / 2) / std::sqrt(2 * M_PI);
    const double normal =
        std::erfc(edge / std::sqrt(2.0)) / 2 + density * skew * (edge * edge - 1) / 6;
    expect_close(binomial_upper(hits, trials, p), normal, 1e-4);
  }
}

// Fifty-digit arithmetic; the first row is in most textbooks.
TEST(binomial_interval, agrees_with_known_values) {
  struct row {
    std::uint64_t hits;
    std::uint64_t trials;
    double confidence;
    double low;
    double high;
    double accuracy;  // lgamma's, for this many trials
  };
  for (const row& r :
       std::array{row{10, 100, 0.95, 0.04900468922148596, 0.1762225977400227, 1e-12},
                  row{1, 10, 0.99, 0.0005011285754646339, 0.5442870568996869, 1e-12},
                  row{5, 20, 0.9, 0.1040808359101361, 0.4555824040017488, 1e-12},
                  row{0, 20, 0.95, 0, 0.1684334709830853, 1e-12},
                  row{2674, 267400, 0.99, 0.009511226502095913, 0.010506297088974, 1e-9},
                  row{3, 1'000'000'000, 0.99, 3.378633890085209e-10, 1.097747745154348e-8, 1e-5},
                  row{0, 30'000'000, 0.99, 0, 1.766105632892872e-7, 1e-7}}) {
    const interval found = binomial_interval(r.hits, r.trials, r.confidence);
    expect_close(found.low, r.low, r.accuracy);
    expect_close(found.high, r.high, r.accuracy);
  }
}

// No sample: the chance of every outcome is summed.
TEST(binomial_interval, covers_the_truth_as_often_as_it_says) {
  constexpr std::uint64_t trials = 60;
  for (const double confidence : {0.5, 0.9, 0.99}) {
    std::vector<interval> of_hits;
    for (std::uint64_t hits = 0; hits <= trials; ++hits) {
      of_hits.push_back(binomial_interval(hits, trials, confidence));
    }
    for (double p = 0.005; p < 1; p += 0.005) {
      double covered = 0;
      for (std::uint64_t hits = 0; hits <= trials; ++hits) {
        if (of_hits[hits].low > p || p > of_hits[hits].high) continue;
        covered += binomial_upper(hits, trials, p) - binomial_upper(hits + 1, trials, p);
      }
      EXPECT_GE(covered, confidence) << p;
    }
  }
}

// The trial number on which the r-th hit falls: n or fewer trials need r or more hits among n.
TEST(binomial_interval, covers_it_also_when_hits_end_the_trials) {
  constexpr std::uint64_t wanted = 8;
  constexpr std::uint64_t most_trials = 3000;
  constexpr double confidence = 0.9;
  std::vector<interval> of_trials(most_trials + 1);
  for (std::uint64_t trials = wanted; trials <= most_trials; ++trials) {
    of_trials[trials] = binomial_interval(wanted, trials, confidence);
  }
  for (double p = 0.02; p < 1; p += 0.02) {
    double covered = 0;
    for (std::uint64_t trials = wanted; trials <= most_trials; ++trials) {
      if (of_trials[trials].low > p || p > of_trials[trials].high) continue;
      covered += binomial_upper(wanted, trials, p) - binomial_upper(wanted, trials - 1, p);
    }
    EXPECT_GE(covered, confidence) << p;
  }
}

TEST(binomial_interval, ends_where_the_tails_do) {
  for (const std::uint64_t trials : {1U, 10U, 1000U}) {
    for (const std::uint64_t hits : {std::uint64_t{1}, trials / 2, trials - 1}) {
      if (hits == 0) continue;
      const interval found = binomial_interval(hits, trials, 0.98);
      expect_close(binomial_upper(hits, trials, found.low), 0.01, 1e-9);
      if (hits < trials) expect_close(binomial_lower(hits, trials, found.high), 0.01, 1e-9);
      const interval mirrored = binomial_interval(trials - hits, trials, 0.98);
      EXPECT_NEAR(mirrored.low, 1 - found.high, 1e-12);
      EXPECT_NEAR(mirrored.high, 1 - found.low, 1e-12);
    }
    EXPECT_EQ(binomial_interval(0, trials, 0.98).low, 0);
    EXPECT_EQ(binomial_interval(trials, trials, 0.98).high, 1);
  }
  const interval unknown = binomial_interval(0, 0, 0.98);
  EXPECT_EQ(unknown.low, 0);
  EXPECT_EQ(unknown.high, 1);
}

TEST(special, at_least_once) {
  EXPECT_DOUBLE_EQ(at_least_once(0.5, 3), 0.875);
  EXPECT_NEAR(at_least_once(1e-18, 1e6) / 1e-12, 1, 1e-9);
  EXPECT_EQ(at_least_once(1, 0), 0);
  EXPECT_EQ(at_least_once(1, 2), 1);
}

TEST(binomial_range, leaves_no_more_outside_than_it_says_and_could_not_be_narrower) {
  for (const std::uint64_t trials : {1U, 5U, 40U, 1000U, 1'000'000U}) {
    for (const double p : {0.0, 1e-9, 0.001, 0.3, 0.5, 0.97, 1.0}) {
      for (const double confidence : {0.9, 0.999, 1 - 1e-6}) {
        const double tail = (1 - confidence) / 2;
        const double mean = p * static_cast<double>(trials);
        const interval found = binomial_range(trials, p, confidence);
        const auto low = static_cast<std::uint64_t>(found.low);
        const auto high = static_cast<std::uint64_t>(found.high);
        if (low > 0) {
          EXPECT_LE(binomial_lower(low - 1, trials, p), tail) << trials << ' ' << p;
        }
        if (high < trials) {
          EXPECT_LE(binomial_upper(high + 1, trials, p), tail) << trials << ' ' << p;
        }
        if (found.low < std::floor(mean - 1)) {
          EXPECT_GT(binomial_lower(low, trials, p), tail) << trials << ' ' << p;
        }
        if (found.high > std::ceil(mean + 1)) {
          EXPECT_GT(binomial_upper(high, trials, p), tail) << trials << ' ' << p;
        }
      }
    }
  }
}

// Two sorts of trials, as unequal as their mean allows, by the law of their sum.
TEST(binomial_range, holds_for_unequal_trials_of_the_same_mean) {
  constexpr std::uint64_t each = 60;
  for (const auto& [a, b] : {std::pair{0.5, 0.1}, {1.0, 0.2}, {0.02, 0.0}, {0.9, 0.6}}) {
    constexpr double confidence = 0.99;
    const interval range = binomial_range(2 * each, (a + b) / 2, confidence);
    double outside = 0;
    for (std::uint64_t i = 0; i <= each; ++i) {
      const double first = binomial_upper(i, each, a) - binomial_upper(i + 1, each, a);
      const auto beyond = [&](double sum) { return sum < range.low || sum > range.high; };
      for (std::uint64_t j = 0; j <= each; ++j) {
        if (!beyond(static_cast<double>(i + j))) continue;
        outside += first * (binomial_upper(j, each, b) - binomial_upper(j + 1, each, b));
      }
    }
    EXPECT_LE(outside, 1 - confidence) << a << ' ' << b;
  }
}

TEST(student_deviation, inverts_the_tail) {
  EXPECT_NEAR(student_deviation(1, 0.95), 12.7062047, 1e-6);
  EXPECT_NEAR(student_deviation(1e9, 0.95), 1.959964, 1e-5);
  for (const double freedom : {1.0, 4.0, 99.0}) {
    EXPECT_NEAR(student_two_sided(student_deviation(freedom, 1 - 1e-6), freedom), 1e-6, 1e-15);
  }
}

}  // namespace
}  // namespace bloomery::math
