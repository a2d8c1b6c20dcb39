#include "bloomery/math/kinds/stable.hpp"

#include <cmath>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// The chain of one cell, step by step: down with probability P/m, then set with 1 - (1-1/m)^K.
std::vector<double> stepped(const stable_size& shape, std::vector<double> law,
                            std::uint64_t arrivals) {
  const double m = real(shape.cells);
  const double set = -std::expm1(real(shape.hashes) * std::log1p(-1 / m));
  const double down = real(shape.decrements) / m;
  for (std::uint64_t t = 0; t < arrivals; ++t) {
    for (std::size_t value = 0; value < law.size(); ++value) {
      const double above = value + 1 < law.size() ? law[value + 1] : 0;
      law[value] = (value == 0 ? law[0] : law[value] * (1 - down)) + above * down;
    }
    for (double& p : law) p *= 1 - set;
    law.back() += set;
  }
  return law;
}

TEST(stable, cells_obey_their_chain) {
  for (const stable_size shape : {stable_size{100, 3, 1, 11}, {200, 2, 3, 30}, {500, 4, 15, 90}}) {
    std::vector<double> empty(shape.highest + 1, 0);
    empty[0] = 1;
    std::vector<double> full(shape.highest + 1, 0);
    full.back() = 1;
    for (const std::uint64_t n : {0U, 1U, 2U, 10U, 100U, 3000U}) {
      EXPECT_NEAR(stable_fill(shape, n), 1 - stepped(shape, empty, n)[0], 1e-12) << n;
      const double lost = stepped(shape, full, n)[0];
      const double missed = 1 - std::pow(1 - lost, real(shape.hashes));
      EXPECT_NEAR(stable_misses(shape, n), missed, 1e-12) << n;
    }
    EXPECT_NEAR(stable_fill(shape, max_items), stable_limit(shape), 1e-12);
  }
}

// The formula for the limit as Deng and Rafiei have it, and what their eq. 17 comes to.
TEST(stable, the_limit_is_the_paper_s) {
  EXPECT_NEAR(stable_decrements(1'000'000, 2, 1, 0.01), 18, 1e-3);
  EXPECT_NEAR(stable_decrements(1'000'000, 3, 1, 0.01), 10.92, 0.01);
  const stable_size shape{100'000, 3, 3, 40};
  const double per_key = 40 * (1.0 / 3 - 1.0 / 100'000);
  EXPECT_NEAR(1 - stable_limit(shape), std::pow(1 / (1 + 1 / per_key), 3), 1e-5);
  // 5.14 rounded to 5 breaks a promise of .05.
  EXPECT_NEAR(stable_decrements(1'000'000, 3, 1, 0.05), 5.14, 0.01);
  EXPECT_GT(stable_rate({1'000'000, 3, 1, 5}, max_items), 0.052);
  EXPECT_LE(stable_rate({1'000'000, 3, 1, 6}, max_items), 0.05);
}

TEST(stable, plans_hold_both_errors_down_for_ever) {
  for (const std::uint64_t window : {1U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-5}) {
      const stable_size size = plan_stable(window, rate);
      EXPECT_LE(std::pow(stable_limit(size), real(size.hashes)), rate);
      EXPECT_LE(stable_misses(size, window), planned_misses);
      for (std::uint64_t n = 1; n < 8 * window; n += 1 + window / 4) {
        EXPECT_LE(stable_rate(size, n), rate);
      }
    }
  }
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_stable(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::limit, "window", [] { (void)plan_stable(max_keys, 1e-9); }));
}

}  // namespace
}  // namespace bloomery::math
