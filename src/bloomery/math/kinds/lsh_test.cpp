#include "bloomery/math/kinds/lsh.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bloomery::math {
namespace {

// Datar et al., eq. 1: ∫_0^w (1/c)·f(t/c)·(1 - t/w) dt with f the density of |N(0,1)|, by Simpson.
double integrated(double c, double w) {
  constexpr int steps = 2000;
  const auto f = [&](double t) {
    return std::sqrt(2 / M_PI) * std::exp(-t * t / (2 * c * c)) / c * (1 - t / w);
  };
  double sum = f(0) + f(w);
  for (int i = 1; i < steps; ++i) sum += f(w * i / steps) * (i % 2 == 1 ? 4 : 2);
  return sum * w / steps / 3;
}

TEST(lsh_math, projections_collide_as_the_integral_says) {
  for (const double c : {0.5, 1.0, 2.0, 7.0}) {
    for (const double w : {1.0, 4.0}) {
      EXPECT_NEAR(euclidean_collision(c, w), integrated(c, w), 1e-9);
    }
  }
  EXPECT_EQ(euclidean_collision(0, 4), 1);
  EXPECT_NEAR(euclidean_collision(1e9, 1), 0, 1e-8);
}

TEST(lsh_math, the_others_are_linear) {
  EXPECT_EQ(hamming_collision(0.5), 0.5);
  EXPECT_EQ(jaccard_collision(1), 0);
}

}  // namespace
}  // namespace bloomery::math
