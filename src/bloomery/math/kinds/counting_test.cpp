#include "bloomery/math/kinds/counting.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::plausible_count;
using bloomery::testing::throws_error;

void expect_relative(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * expected);
}

constexpr std::uint64_t trillion = 1'000'000'000'000;

// So many increments that half of m counters stay zero.
std::uint64_t half_full(std::uint64_t m) {
  return static_cast<std::uint64_t>(std::llround(real(m) * M_LN2));
}

long double binomial_term(std::uint64_t trials, std::uint64_t hits, std::uint64_t m) {
  if (hits > trials) return 0;
  if (m == 1) return hits == trials ? 1 : 0;
  const auto n = static_cast<long double>(trials);
  const auto j = static_cast<long double>(hits);
  const auto counters = static_cast<long double>(m);
  return std::exp(std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1) -
                  j * std::log(counters) + (n - j) * std::log1p(-1 / counters));
}

// P(some counter >= j), all at once for up to `most_m` counters and `most_n` increments, from the
// first overflow: at increment t+1 a counter at j-1 is hit while the other m-1 counters, which share
// the other t-j+1 increments, are below j. That none of m is: one holds i < j, none of the rest is.
// Sums of positive terms all; [m][n].
std::vector<std::vector<long double>> first_passage(std::uint64_t most_m, std::uint64_t most_n,
                                                    std::uint64_t j) {
  std::vector<std::vector<long double>> some(most_m + 1, std::vector<long double>(most_n + 1, 0));
  std::vector<long double> none_of_fewer(most_n + 1, 0);
  none_of_fewer[0] = 1;  // no counters hold no increments
  for (std::uint64_t m = 1; m <= most_m; ++m) {
    std::vector<long double> none(most_n + 1, 0);
    none[0] = 1;
    for (std::uint64_t n = 1; n <= most_n; ++n) {
      const long double first = n < j ? 0 : binomial_term(n - 1, j - 1, m) * none_of_fewer[n - j];
      some[m][n] = some[m][n - 1] + first;
      long double term = binomial_term(n, 0, m);
      for (std::uint64_t i = 0; i < j && i <= n; ++i) {
        if (m == 1) term = i == n ? 1 : 0;
        none[n] += term * none_of_fewer[n - i];
        if (m > 1)
          term *= static_cast<long double>(n - i) / static_cast<long double>((i + 1) * (m - 1));
      }
    }
    none_of_fewer = none;
  }
  return some;
}

// Σ over pairs of P(both >= j).
double pairs_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  double joint = 0;
  for (std::uint64_t i = j; i + j <= increments; ++i) {
    const double term =
        counter_probability(m, increments, i) * counter_tail(m - 1, increments - i, j);
    joint += term;
    if (term < joint * 1e-17) break;
  }
  return real(m) * (real(m) - 1) / 2 * joint;
}

// The unary code of Ficara et al. 2010 takes m·(1 + E φ) bits, with φ the binomial of the other
// formulas.
TEST(counters, unary_code_takes_a_bit_and_one_for_each_increment) {
  double mean = 0;
  for (std::uint64_t j = 1; j < 40; ++j) {
    mean += real(j) * math::counter_probability(28'000, 20'000, j);
  }
  EXPECT_NEAR(math::unary_bits(28'000, 20'000.0 / 28'000), 28'000 * (1 + mean), 1e-6);
  EXPECT_NEAR(math::unary_bits(1000), 1693.147, 1e-3);
}

// Many digits: the terms by lgamma in 80-digit arithmetic, then summed.
TEST(counter, agrees_with_many_digits) {
  struct row {
    std::uint64_t m;
    std::uint64_t increments;
    std::uint64_t j;
    double probability;
    double tail;
  };
  for (const auto& [m, increments, j, probability, tail] : {
           row{1000000, 693147, 16, 6.7840285459660778e-17, 7.0716836781992687e-17},
           row{trillion, 693147180560, 16, 6.7851239733173149e-17, 7.0728322556181379e-17},
           row{trillion, 10000000000000, 40, 5.5642945649712624e-13, 7.3416363142377423e-13},
           row{1000000, 10000000000, 10500, 1.7779006392940143e-8, 3.5995432179570827e-7},
           row{1000, 693, 3, 0.027691915771988491, 0.033216956405560011},
           row{1000, 64, 63, 6.3936e-188, 6.3937e-188},
           row{1000000000, 1000000000, 128, 9.5398588713377302e-217, 9.6143844963468366e-217},
       }) {
    expect_relative(counter_probability(m, increments, j), probability, 1e-12);
    expect_relative(counter_tail(m, increments, j), tail, 1e-12);
  }
}

TEST(counter, reproduces_the_published_tail_at_half_fill) {
  expect_relative(counter_tail(trillion, half_full(trillion), 16), 7.07e-17, 5e-4);
}

TEST(counter, is_the_binomial_law) {
  for (const std::uint64_t m : {2U, 3U, 10U, 1000U}) {
    for (const std::uint64_t increments : {1U, 2U, 17U, 300U}) {
      long double upper = 0;
      double sum = 0;
      for (std::uint64_t j = increments + 1; j-- > 0;) {
        const long double term = binomial_term(increments, j, m);
        upper += term;
        sum += counter_probability(m, increments, j);
        if (upper < 1e-290L) continue;
        expect_relative(counter_probability(m, increments, j), static_cast<double>(term), 1e-12);
        expect_relative(counter_tail(m, increments, j), static_cast<double>(upper), 1e-12);
      }
      EXPECT_NEAR(sum, 1, 1e-13);
    }
  }
}

TEST(counter, edges) {
  EXPECT_EQ(counter_probability(1, 5, 5), 1);
  EXPECT_EQ(counter_probability(1, 5, 4), 0);
  EXPECT_EQ(counter_probability(10, 5, 6), 0);
  EXPECT_EQ(counter_probability(10, 0, 0), 1);
  EXPECT_EQ(counter_tail(10, 5, 0), 1);
  EXPECT_EQ(counter_tail(10, 5, 6), 0);
  EXPECT_EQ(counter_tail(1, 5, 5), 1);
  EXPECT_NEAR(counter_tail(10, 5, 5), 1e-5, 1e-19);
}

TEST(any_counter_tail, agrees_with_the_first_passage_recursion) {
  for (const std::uint64_t j : {2U, 3U, 4U, 5U, 8U, 16U, 33U}) {
    constexpr std::uint64_t most_m = 90;
    constexpr std::uint64_t most_n = 150;
    const auto some = first_passage(most_m, most_n, j);
    for (std::uint64_t m = 1; m <= most_m; ++m) {
      for (std::uint64_t n = m % 7; n <= most_n; n += m < 13 ? 1 : 7) {
        const auto expected = static_cast<double>(some[m][n]);
        EXPECT_NEAR(any_counter_tail(m, n, j), expected, 1e-12 * expected)
            << "m=" << m << " n=" << n << " j=" << j;
      }
    }
  }
}

// At j = 2 it is the birthday problem: 1 - Π(1 - i/m), whatever m.
TEST(any_counter_tail, is_the_birthday_problem_at_two) {
  EXPECT_NEAR(overflow_probability(365, 23, 1), 0.507297234323986, 1e-14);
  for (const std::uint64_t m : {std::uint64_t{1'000'000}, trillion}) {
    for (const double of_root : {0.01, 0.1, 0.5, 2.0}) {
      const auto n = static_cast<std::uint64_t>(of_root * std::sqrt(real(m)));
      long double log_none = 0;
      for (std::uint64_t i = 1; i < n; ++i) {
        log_none += std::log1p(-static_cast<long double>(i) / static_cast<long double>(m));
      }
      expect_relative(any_counter_tail(m, n, 2), static_cast<double>(-std::expm1(log_none)), 1e-12);
    }
  }
}

// Bonferroni: S1 - S2 <= P <= S1, both sums exact. Below S1 = 10^-5 they meet in ten digits; where
// fewer than 3j increments leave no third counter, P is S1 - S2.
TEST(any_counter_tail, lies_between_the_bonferroni_bounds) {
  struct row {
    std::uint64_t m;
    double load;
    std::uint64_t j;
  };
  std::vector<row> rows{{3, 65400, 65536}, {3, 65000, 65536},     {4, 65400, 65536},
                        {5, 65000, 65536}, {1000, 64000, 65536},  {20, 900, 1024},
                        {100, 20, 64},     {1'000'000, 200, 256}, {trillion, 1e-6, 3}};
  for (const std::uint64_t m : {std::uint64_t{100}, std::uint64_t{1'000'000}, trillion}) {
    for (const double load : {0.01, M_LN2, 3.0}) {
      for (const std::uint64_t j : {4U, 8U, 16U, 32U}) rows.push_back({m, load, j});
    }
  }
  int close = 0;
  int exact = 0;
  for (const auto& [m, load, j] : rows) {
    SCOPED_TRACE(::testing::Message() << "m=" << m << " load=" << load << " j=" << j);
    const auto n = static_cast<std::uint64_t>(real(m) * load);
    const double value = any_counter_tail(m, n, j);
    const double single = real(m) * counter_tail(m, n, j);
    const double pairs = pairs_tail(m, n, j);
    constexpr double rounding = 1e-11;
    EXPECT_LE(value, single * (1 + rounding));
    EXPECT_GE(value, (single - pairs) * (1 - rounding));
    EXPECT_EQ(union_bound(m, n, j), std::min(1.0, single));
    if (single < 1e-5) {
      expect_relative(value, single - pairs, 1e-10);
      ++close;
    }
    if (n < 3 * j && n > 0) {
      expect_relative(value, std::min(1.0, single - pairs), 1e-10);
      ++exact;
    }
  }
  EXPECT_GE(close, 12);
  EXPECT_GE(exact, 3);
}

std::uint64_t simulated_overflows(std::uint64_t m, std::uint64_t increments, std::uint64_t j,
                                  std::uint64_t trials) {
  std::mt19937_64 random(m + increments + j);
  std::uniform_int_distribution<std::uint64_t> position(0, m - 1);
  std::uint64_t overflows = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    std::vector<std::uint64_t> counters(m, 0);
    bool reached = false;
    for (std::uint64_t i = 0; i < increments; ++i) {
      reached = ++counters[position(random)] >= j || reached;
    }
    overflows += reached;
  }
  return overflows;
}

// 20,000 filters each, where the union bound is far off.
TEST(overflow_probability, agrees_with_simulated_counters) {
  constexpr std::uint64_t trials = 20'000;
  struct row {
    std::uint64_t m;
    std::uint64_t increments;
    std::uint64_t bits;
  };
  for (const auto& [m, increments, bits] : {row{64, 52, 2}, row{1000, 351, 2}, row{1000, 1882, 3},
                                            row{10, 100, 4}, row{200, 1522, 4}}) {
    SCOPED_TRACE(::testing::Message() << m << ' ' << increments << ' ' << bits);
    const std::uint64_t j = std::uint64_t{1} << bits;
    const std::uint64_t hits = simulated_overflows(m, increments, j, trials);
    const double predicted = overflow_probability(m, increments, bits);
    EXPECT_GT(predicted, 0.3);
    EXPECT_LT(predicted, 0.7);
    EXPECT_TRUE(plausible_count(hits, trials, predicted));
    EXPECT_FALSE(plausible_count(hits, trials, union_bound(m, increments, j)));
  }
}

TEST(overflow_probability, falls_with_the_width_and_rises_with_the_load) {
  for (const std::uint64_t m : {std::uint64_t{10}, std::uint64_t{1000}, trillion}) {
    double last = 1;
    for (std::uint64_t bits = 1; bits <= 64; ++bits) {
      const double value = overflow_probability(m, half_full(m), bits);
      EXPECT_LE(value, last) << m << ' ' << bits;
      last = value;
    }
    EXPECT_EQ(last, 0);
    last = 0;
    for (std::uint64_t tenths = 1; tenths < 60; ++tenths) {
      const double value = overflow_probability(m, m / 10 * tenths, 3);
      EXPECT_GE(value, last * (1 - 1e-12)) << m << ' ' << tenths;
      last = value;
    }
    EXPECT_GT(last, 0.5);
  }
}

TEST(overflow_probability, is_certain_when_there_are_more_increments_than_room) {
  EXPECT_EQ(overflow_probability(10, 151, 4), 1);
  EXPECT_LT(overflow_probability(10, 140, 4), 1);
  // All fifteen in each of ten counters is one way: 150!/(15!^10·10^150) = 1.1e-8 of not.
  const double log_none = std::lgamma(151) - 10 * std::lgamma(16) - 150 * std::log(10);
  expect_relative(overflow_probability(10, 150, 4), -std::expm1(log_none), 1e-12);
  EXPECT_EQ(overflow_probability(1, 16, 4), 1);
  EXPECT_EQ(overflow_probability(1, 15, 4), 0);
  EXPECT_EQ(overflow_probability(10, 0, 1), 0);
}

// Broder–Mitzenmacher §2.5: t sets overflow with probability 1.37e-15·m·t at most. Two histories of 20,000:
// a new set each time, eight sets long.
TEST(overflow_over_sets, bounds_what_a_history_of_sets_does) {
  constexpr std::uint64_t m = 50;
  constexpr std::uint64_t increments = 35;
  constexpr std::uint64_t sets = 8;
  constexpr std::uint64_t histories = 20'000;
  std::mt19937_64 random(7);
  std::uint64_t overflowed = 0;
  for (std::uint64_t history = 0; history < histories; ++history) {
    bool full = false;
    for (std::uint64_t set = 0; set < sets; ++set) {
      std::vector<int> counters(m);
      for (std::uint64_t i = 0; i < increments; ++i) full |= ++counters[random() % m] == 8;
    }
    overflowed += std::uint64_t{full};
  }
  const double bound = overflow_over_sets(m, increments, 3, sets);
  EXPECT_TRUE(testing::plausible_limit(overflowed, histories, bound));
  EXPECT_GT(overflowed, 0U);
  EXPECT_EQ(overflow_over_sets(10, 151, 4, 3), 1) << "no probability is above 1";
  EXPECT_LT(overflow_over_sets(1'000'000, 693'147, 4, 1'000'000), 1.37e-15 * 1e6 * 1e6);
}

// Processor time; a load of 65,000 on four counters is the worst measured, 0.15 s.
TEST(overflow_probability, is_quick) {
  for (const std::uint64_t m : {std::uint64_t{4}, std::uint64_t{1000}, trillion}) {
    for (const std::uint64_t load : {1ULL, 100ULL, 65'400ULL}) {
      const std::clock_t start = std::clock();
      (void)overflow_probability(m, m * load, load > 100 ? 16 : 7);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      EXPECT_LT(seconds, 2) << m << ' ' << load;
    }
  }
}

TEST(loose_bounds, reproduce_the_published_figure) {
  expect_relative(loose_bounds(1, 0, 16).at_half_fill, 1.368e-15, 5e-4);
  expect_relative(loose_bounds(trillion, half_full(trillion), 16).at_half_fill, 1.37e-3, 2e-3);
}

TEST(loose_bounds, are_in_order_and_bound_the_truth) {
  for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{100}, trillion}) {
    for (const double load : {0.01, 0.3, M_LN2}) {
      const auto n = static_cast<std::uint64_t>(real(m) * load);
      for (const std::uint64_t j : {1U, 2U, 5U, 16U, 64U}) {
        SCOPED_TRACE(::testing::Message() << "m=" << m << " load=" << load << " j=" << j);
        const auto [choose, power, at_half_fill] = loose_bounds(m, n, j);
        EXPECT_LE(real(m) * counter_tail(m, n, j), choose * (1 + 1e-12));
        EXPECT_LE(choose, power * (1 + 1e-12));
        EXPECT_LE(power, at_half_fill * (1 + 1e-12));
      }
    }
  }
  // By hand: C(10,3)/5^3·5 = 4.8, and 5·(10e/15)^3.
  const auto [choose, power, at_half_fill] = loose_bounds(5, 10, 3);
  EXPECT_NEAR(choose, 4.8, 1e-13);
  EXPECT_NEAR(power, 5 * std::pow(10 * M_E / 15, 3), 1e-12);
  EXPECT_NEAR(at_half_fill, 5 * std::pow(M_E * M_LN2 / 3, 3), 1e-12);
  EXPECT_NEAR(loose_bounds(1, 10, 3).choose, 120, 1e-10);
  EXPECT_EQ(loose_bounds(5, 2, 3).choose, 0);
}

TEST(ficara, bounds_one_counter) {
  int tight = 0;
  for (const std::uint64_t m : {2U, 10U, 1000U, 1'000'000U}) {
    for (const double load : {0.0, 0.05, 0.5, M_LN2, 1.0, 2.0, 10.0}) {
      const auto n = static_cast<std::uint64_t>(real(m) * load);
      for (std::uint64_t j = 1; j <= 40; ++j) {
        SCOPED_TRACE(::testing::Message() << "m=" << m << " load=" << load << " j=" << j);
        const double above = counter_tail(m, n, j + 1);
        const double from = counter_tail(m, n, j);
        EXPECT_TRUE(above < ficara_bound(m, n, j) || above == 0) << above;
        EXPECT_LE(from, ficara_tail(m, n, j) * (1 + 1e-12));
        const bool stated = real(j) >= real(n) / real(m) + 1 && load <= 1;
        if (stated) {
          EXPECT_EQ(ficara_bound(m, n, j), counter_probability(m, n, j - 1));
        }
        // The tail's bound takes all ratios after the first as equal: close for j well above α.
        if (m == 1'000'000 && stated && n > 0 && j >= 10) {
          EXPECT_LE(ficara_tail(m, n, j), 1.01 * from);
          ++tight;
        }
      }
    }
  }
  EXPECT_GE(tight, 100);
  // The published 1.51e-16 for P(c > 15) is one counter's: it holds for one and not for a million.
  const std::uint64_t m = 1'000'000;
  EXPECT_LT(ficara_tail(m, half_full(m), 16), 1.51e-16);
  EXPECT_GT(overflow_probability(m, half_full(m), 4), 1.51e-16);
}

TEST(counters, refuse_what_they_cannot_compute) {
  const auto refuses = [](const char* part, std::uint64_t m, std::uint64_t n) {
    return throws_error(errc::invalid, part, [&] { (void)counter_probability(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)counter_tail(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)any_counter_tail(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)overflow_probability(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)union_bound(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)loose_bounds(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)ficara_bound(m, n, 1); }) &&
           throws_error(errc::invalid, part, [&] { (void)ficara_tail(m, n, 1); });
  };
  EXPECT_TRUE(refuses("counters is 0; allowed: 1 to 281474976710656", 0, 10));
  EXPECT_TRUE(refuses("counters is 281474976710657;", max_bits + 1, 10));
  EXPECT_TRUE(refuses("increments is 2097153; allowed: 0 to 2097152", 2, (2 << 20) + 1));
  EXPECT_TRUE(refuses("increments is 4611686018427387905;", max_bits, max_items + 1));
  EXPECT_TRUE(throws_error(errc::invalid, "counter bits is 0; allowed: 1 to 64",
                           [] { (void)overflow_probability(10, 10, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "counter bits is 65;",
                           [] { (void)overflow_probability(10, 10, 65); }));
  EXPECT_TRUE(throws_error(errc::invalid, "j is 0;", [] { (void)loose_bounds(10, 10, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "j is 0;", [] { (void)ficara_bound(10, 10, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "j is 0;", [] { (void)ficara_tail(10, 10, 0); }));
}

TEST(counter_width, is_the_narrowest_that_holds) {
  for (const std::uint64_t m : {100U, 10'000U, 10'000'000U}) {
    for (const std::uint64_t increments : {m / 10, m * 7 / 10, 5 * m}) {
      const std::uint64_t bits = counter_bits(m, increments);
      EXPECT_LE(overflow_probability(m, increments, bits), planned_overflow);
      if (bits > 2) {
        EXPECT_GT(overflow_probability(m, increments, bits - 1), planned_overflow);
      }
    }
  }
  EXPECT_EQ(counter_bits(10'000'000, 6'931'472), 4U) << "the literature's four bits";
  EXPECT_EQ(counter_bits(2, 1'000'000, 1e-9), 16U);
}

}  // namespace
}  // namespace bloomery::math
