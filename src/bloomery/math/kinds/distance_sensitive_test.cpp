#include "bloomery/math/kinds/distance_sensitive.hpp"

#include <cmath>

#include "bloomery/math/numeric/quadrature.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// k=20, t=10, p1=.8, n·p2=.2.
TEST(distance_sensitive_math, errors_on_either_side) {
  EXPECT_NEAR(near_miss_rate(20, 10, 0.8), 5.6e-4, 5e-6);
  EXPECT_NEAR(far_claim_rate(20, 10, 0.2), 2.6e-3, 5e-5);
  EXPECT_EQ(near_miss_rate(20, 20, 1), 0) << "members pass";
  EXPECT_EQ(far_claim_rate(20, 1, 0), 0);
}

TEST(distance_sensitive_math, hits_stay_below_the_union_bound) {
  for (const std::uint64_t keys : {1U, 50U, 5000U}) {
    const double bound = real(keys) * (1e-4 + 1.0 / 3000);
    EXPECT_LE(array_hit(keys, 1e-4, 3000), bound);
    EXPECT_GE(array_hit(keys, 1e-4, 3000), bound - bound * bound);
  }
}

TEST(distance_sensitive_math, plans_keep_both_rates) {
  for (const std::uint64_t keys : {1U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-5}) {
      const distance_size size = plan_distance_sensitive(keys, rate, 0.9, 0.1);
      EXPECT_LE(size.rate, rate);
      EXPECT_LE(size.missed, rate);
      EXPECT_LE(size.threshold, size.arrays);
    }
  }
  EXPECT_TRUE(testing::throws_error(
      errc::limit, "too close", [] { (void)plan_distance_sensitive(1'000'000, 0.01, 0.6, 0.5); }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "rate",
                                    [] { (void)plan_distance_sensitive(1000, 1, 0.6, 0.5); }));
}

// Datar et al., eq. 1: ∫_0^w (1/c)·f(t/c)·(1 - t/w) dt with f the density of |N(0,1)|, by Simpson.
double integrated(double c, double w) {
  return simpson(0, w, 2000, [&](double t) {
    return std::sqrt(2 / M_PI) * std::exp(-t * t / (2 * c * c)) / c * (1 - t / w);
  });
}

TEST(collisions, projections_collide_as_the_integral_says) {
  for (const double c : {0.5, 1.0, 2.0, 7.0}) {
    for (const double w : {1.0, 4.0}) {
      EXPECT_NEAR(euclidean_collision(c, w), integrated(c, w), 1e-9);
    }
  }
  EXPECT_EQ(euclidean_collision(0, 4), 1);
  EXPECT_NEAR(euclidean_collision(1e9, 1), 0, 1e-8);
}

TEST(collisions, the_others_are_linear) {
  EXPECT_EQ(hamming_collision(0.5), 0.5);
  EXPECT_EQ(jaccard_collision(1), 0);
}

}  // namespace
}  // namespace bloomery::math
