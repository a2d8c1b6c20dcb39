#include "bloomery/math/numeric/poisson.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bloomery::math {
namespace {

TEST(poisson, is_its_product_for_small_counts) {
  for (const double mean : {0.01, 0.5, 3.0, 40.0, 300.0}) {
    double log_product = -mean;
    for (double count = 1; count <= 60; ++count) {
      log_product += std::log(mean / count);
      EXPECT_NEAR(log_poisson(count, mean), log_product, 1e-12) << count << " at " << mean;
    }
  }
}

// Neighbours differ by the factor mean/count, also where ln n! has no digits left.
TEST(poisson, keeps_its_ratios_for_large_counts) {
  for (const double mean : {1e6, 1e12, 1e15}) {
    for (const double gap : {-2 * std::sqrt(mean), 0.0, std::sqrt(mean)}) {
      const double count = std::round(mean + gap);
      const double step =
          log_poisson(count + 1, mean, count + 1 - mean) - log_poisson(count, mean, count - mean);
      EXPECT_NEAR(step, -std::log1p((count + 1 - mean) / mean), 1e-14) << mean << ' ' << gap;
    }
  }
}

TEST(poisson, angle_less_sine_joins_its_series) {
  for (const double angle : {0.499'999, 0.500'001, 1.0, 3.0}) {
    EXPECT_NEAR(angle_less_sine(angle), angle - std::sin(angle), 1e-16) << angle;
  }
  EXPECT_EQ(angle_less_sine(0), 0);
  EXPECT_NEAR(angle_less_sine(1e-3) / (1e-9 / 6), 1 - 1e-6 / 20, 1e-12);
}

}  // namespace
}  // namespace bloomery::math
