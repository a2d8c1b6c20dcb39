#include "bloomery/math/kinds/adaptive.hpp"

#include <cmath>
#include <vector>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// The chain over the number of ones, for which a claimed key adds one and another what its k balls
// hit: exact for any filter small enough.
double adaptive_by_chain(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  std::vector<double> ones(m + 1, 0);
  ones[0] = 1;
  const auto claimed = [&](std::uint64_t j) { return std::pow(real(j) / real(m), real(k)); };
  for (std::uint64_t key = 0; key < n; ++key) {
    std::vector<double> balls = ones;
    for (std::uint64_t ball = 0; ball < k; ++ball) {
      for (std::uint64_t j = m; j != 0; --j) {
        const auto share = [&](std::uint64_t i) { return real(i) / real(m); };
        balls[j] = balls[j] * share(j) + balls[j - 1] * (1 - share(j - 1));
      }
      balls[0] = 0;
    }
    // A claimed key leaves the number as it was, and then adds one.
    for (std::uint64_t j = 0; j < m; ++j) {
      const double moved = ones[j] * claimed(j);
      balls[j] -= moved;
      balls[j + 1] += moved;
    }
    ones = balls;
  }
  double rate = 0;
  for (std::uint64_t j = 0; j <= m; ++j) rate += ones[j] * claimed(j);
  return rate;
}

// The error of the expected fill is that of one bit or less: 1/m, relatively, at any load.
TEST(adaptive, rates_are_those_of_the_chain_but_for_a_bit) {
  for (const std::uint64_t k : {2U, 4U, 7U}) {
    for (const std::uint64_t m : {75U, 150U, 300U, 600U}) {
      for (const double balls_per_bit : {0.3, 0.7, 1.4, 2.0}) {
        const auto n = static_cast<std::uint64_t>(balls_per_bit * real(m) / real(k));
        EXPECT_NEAR(adaptive_rate(m, n, k) / adaptive_by_chain(m, n, k), 1, 1 / real(m))
            << m << ' ' << n << ' ' << k;
      }
    }
  }
  EXPECT_EQ(adaptive_rate(100, 0, 3), 0);
  EXPECT_EQ(adaptive_rate(100, 1'000'000'000, 3), 1);
  EXPECT_GT(adaptive_rate(1000, 200, 7), exact_rate(1000, 200, 7));
}

TEST(adaptive, plans_are_the_smallest) {
  for (const double rate : {0.3, 0.01, 1e-6}) {
    const adaptive_size size = plan_adaptive(1000, rate);
    EXPECT_LE(adaptive_rate(size.bits, 1000, size.hashes), rate);
    EXPECT_GT(adaptive_rate(size.bits - 1, 1000, size.hashes), rate);
  }
  EXPECT_EQ(adaptive_overshoot(1, 0.5, 0.5), 1);
}

}  // namespace
}  // namespace bloomery::math
