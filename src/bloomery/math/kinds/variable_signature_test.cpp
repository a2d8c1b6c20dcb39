#include "bloomery/math/kinds/variable_signature.hpp"

#include <cmath>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// The fill of swept bits, bit by bit: when was each last cleared, and how many arrivals since?
TEST(variable_signature, swept_bits_obey_their_law) {
  for (const signature_size shape :
       {signature_size{100, 6, 5, 3, 7}, {64, 4, 4, 4, 64}, {50, 3, 3, 2, 1}, {90, 5, 5, 5, 0}}) {
    for (const std::uint64_t n : {1U, 5U, 14U, 15U, 60U, 500U}) {
      std::vector<std::uint64_t> marked_since(shape.bits, 0);
      std::uint64_t next = 0;
      for (std::uint64_t t = 0; t < n; ++t) {
        for (std::uint64_t i = 0; i < shape.swept; ++i) marked_since[next++ % shape.bits] = 0;
        for (std::uint64_t& since : marked_since) ++since;
      }
      double zeros = 0;
      const double alone = std::pow(1 - 1 / real(shape.bits), real(shape.marks));
      for (const std::uint64_t since : marked_since) {
        zeros += std::pow(alone, real(since)) / real(shape.bits);
      }
      EXPECT_NEAR(signature_fill(shape, n), 1 - zeros, 1e-12) << shape.bits << ' ' << n;
    }
  }
}

TEST(variable_signature, signatures_fade) {
  const signature_size shape{2000, 10, 8, 6, 10};
  EXPECT_EQ(signature_misses(shape, 0), 0);
  double before = 0;
  for (std::uint64_t gap = 1; gap <= 220; ++gap) {
    const double misses = signature_misses(shape, gap);
    EXPECT_GE(misses, before);
    before = misses;
    if (gap > 150) break;  // later others set bits again
  }
  EXPECT_GT(before, 0.5);
  // All of it swept: what is left is a stranger.
  EXPECT_NEAR(signature_misses(shape, 5000),
              1 - at_least_of(10, shape.needed, signature_fill(shape, 5001)), 1e-9);
  const query_cost cost = signature_cost(shape, 5000);
  EXPECT_GT(cost.absent, 5);
  EXPECT_LT(cost.absent, 10);
}

TEST(variable_signature, plans_hold_both_errors_down_for_ever) {
  for (const std::uint64_t window : {1U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-5}) {
      const signature_size size = plan_signatures(window, rate);
      EXPECT_LE(signature_rate(size, max_items), rate);
      EXPECT_LE(signature_misses(size, window), planned_misses);
      for (std::uint64_t n = 1; n < 8 * window; n += 1 + window / 4) {
        EXPECT_LE(signature_rate(size, n), rate * (1 + 1e-9));
      }
    }
  }
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_signatures(9, 1); }));
  EXPECT_TRUE(throws_error(errc::limit, "window", [] { (void)plan_signatures(max_keys, 1e-9); }));
}

}  // namespace
}  // namespace bloomery::math
