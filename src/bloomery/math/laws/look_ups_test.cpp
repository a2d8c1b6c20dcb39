#include "bloomery/math/laws/look_ups.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::math {
namespace {

// By the chances of every outcome of n look-ups, added up.
TEST(look_ups, any_of_is_the_chance_of_all_outcomes_but_one) {
  for (const double rate : {0.001, 0.25, 0.9}) {
    for (unsigned n = 0; n <= 10; ++n) {
      double some = 0;
      for (unsigned outcome = 1; outcome < 1U << n; ++outcome) {
        double chance = 1;
        for (unsigned i = 0; i < n; ++i) chance *= (outcome >> i & 1U) != 0 ? rate : 1 - rate;
        some += chance;
      }
      EXPECT_NEAR(any_of(rate, n), some, 1e-13) << rate << " " << n;
    }
  }
}

TEST(look_ups, any_of_keeps_its_digits_where_the_rate_is_tiny_and_at_the_ends) {
  EXPECT_DOUBLE_EQ(any_of(1e-18, 22), 22e-18);
  EXPECT_EQ(any_of(0, 5), 0);
  EXPECT_FALSE(std::signbit(any_of(0, 5)));
  EXPECT_EQ(any_of(1, 5), 1);
  EXPECT_EQ(any_of(1, 0), 0);
}

// Of Poisson numbers of look-ups, by their probabilities.
TEST(look_ups, any_of_expected_bounds_the_mean_closely_from_above) {
  for (const double mean : {0.5, 3.2}) {
    const double rate = 1.0 / 255;
    double chance = std::exp(-mean);
    double sum = 0;
    for (unsigned n = 0; n < 60; chance *= mean / ++n) sum += chance * any_of(rate, n);
    EXPECT_GE(any_of_expected(rate, mean), sum);
    EXPECT_LT(any_of_expected(rate, mean), sum * (1 + rate));
  }
  EXPECT_EQ(any_of_expected(0.25, 2), any_of(0.25, 2));
}

}  // namespace
}  // namespace bloomery::math
