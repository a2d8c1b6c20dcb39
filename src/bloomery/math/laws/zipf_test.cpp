#include "bloomery/math/laws/zipf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// The outside witness: added one by one, the smallest first, in more digits.
long double added(std::uint64_t n, double s) {
  long double sum = 0;
  for (std::uint64_t i = n; i > 0; --i) sum += std::pow(static_cast<long double>(i), -s);
  return sum;
}

TEST(zipf, harmonic_numbers_are_the_sums) {
  for (const double s : {0.0, 0.3, 0.75, 0.999999, 1.0, 1.000001, 1.5, 2.0, 3.7, 16.0}) {
    for (const std::uint64_t n : {1U, 2U, 31U, 32U, 33U, 40U, 100U, 1000U, 100'000U}) {
      SCOPED_TRACE(::testing::Message() << n << " at " << s);
      const long double exact = added(n, s);
      EXPECT_LE(std::abs(harmonic(n, s) / exact - 1), 2e-15L);
    }
  }
}

TEST(zipf, harmonic_numbers_of_known_limits) {
  const double n = std::ldexp(1.0, 48);
  // ln n + γ, and ζ(2) - 1/n, as far as it shows.
  EXPECT_NEAR(harmonic(max_keys, 1) / (std::log(n) + std::numbers::egamma), 1, 2e-15);
  EXPECT_NEAR(harmonic(max_keys, 2) / (std::numbers::pi * std::numbers::pi / 6 - 1 / n), 1, 2e-15);
  EXPECT_EQ(harmonic(max_keys, 0), n);
}

TEST(zipf, probabilities_add_up) {
  for (const double s : {0.0, 0.8, 1.0, 2.5}) {
    SCOPED_TRACE(s);
    const auto up_to = zipf_cumulative(5000, s);
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= 5000; ++rank) {
      sum += zipf_probability(rank, 5000, s);
      ASSERT_NEAR(up_to[rank - 1], sum, 1e-12) << rank;
    }
    EXPECT_EQ(up_to.back(), 1);
  }
}

TEST(zipf, refuses_what_has_no_law) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "keys is 0", [] { (void)harmonic(0, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "exponent is -1", [] { (void)harmonic(1, -1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "exponent is nan", [] { (void)harmonic(1, NAN); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rank is 4", [] { (void)zipf_probability(4, 3, 1); }));
}

}  // namespace
}  // namespace bloomery::math
