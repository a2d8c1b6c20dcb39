#include "bloomery/math/kinds/weighted.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using math::demand;

// 1,000 hot keys, 90 % of the queries; 9,000 cold.
std::vector<demand> hot_and_cold(double membership) {
  std::vector<demand> keys(1000, {0.9 / 1000, membership});
  keys.resize(10'000, {0.1 / 9000, membership});
  return keys;
}

// Hot and cold keys, as Tarkoma §III-V has them, with x = .05 and ten bits a member. The figures
// are those of Bruck, Gao, Jiang's k_e = log2(r_e/x_e) + C, computed apart from this library.
TEST(weighted_math, the_optimum_of_hot_and_cold_keys) {
  const auto keys = hot_and_cold(0.05);
  const double budget = 5000 * M_LN2;
  const auto best = math::weighted_optimum(keys, budget);
  EXPECT_NEAR(best.hashes.front(), 12.6, 0.05);
  EXPECT_NEAR(best.hashes.back(), 6.3, 0.05);
  const double plain = std::exp2(-10 * M_LN2);
  EXPECT_NEAR(best.rate / plain, 0.1724, 5e-5);
  EXPECT_NEAR(std::exp2(-math::weighted_divergence(keys)), 0.1724, 5e-5);
  double set = 0;
  double rate = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    set += keys[i].members * best.hashes[i];
    rate += keys[i].queries * std::exp2(-best.hashes[i]);
  }
  EXPECT_NEAR(set, budget, 1e-6);
  EXPECT_NEAR(rate, best.rate, 1e-12);
  // Rounded, and at the fill it makes, it is close to that.
  const auto whole = math::weighted_hashes(keys, budget);
  EXPECT_LE(math::bits_set(keys, whole), budget);
  EXPECT_GT(math::bits_set(keys, whole), 0.9 * budget);
  const double fill = -std::expm1(-math::bits_set(keys, whole) / 5000);
  EXPECT_LT(math::queried_rate(keys, whole, fill), 1.1 * best.rate);
  EXPECT_GE(math::queried_rate(keys, whole, fill), best.rate);
}

// Σ r_e·2^-k_e within Σ x_e·k_e: moving bits between two keys never helps.
TEST(weighted_math, the_optimum_is_one) {
  const std::vector<demand> keys{{0.5, 0.9}, {0.3, 0.1}, {0.15, 0.5}, {0.05, 0.7}};
  const auto best = math::weighted_optimum(keys, 12);
  const auto rate = [&](std::size_t i, std::size_t j, double moved) {
    double sum = 0;
    for (std::size_t e = 0; e < keys.size(); ++e) {
      const double extra = e == i ? moved / keys[i].members : e == j ? -moved / keys[j].members : 0;
      sum += keys[e].queries * std::exp2(-best.hashes[e] - extra);
    }
    return sum;
  };
  EXPECT_NEAR(rate(0, 1, 0), best.rate, 1e-12);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < keys.size(); ++j) {
      if (i == j) continue;
      EXPECT_GT(rate(i, j, 0.01), best.rate);
    }
  }
}

TEST(weighted_math, alike_keys_have_alike_hashes_and_odd_ones_their_limits) {
  const std::vector<demand> alike(100, {3, 0.25});
  EXPECT_EQ(math::weighted_hashes(alike, 25 * 7.9), std::vector<unsigned>(100, 7));
  EXPECT_NEAR(math::weighted_divergence(alike), 0, 1e-14);
  const std::vector<demand> odd{{1, 0.5}, {0, 0.5}, {1, 0}, {0, 0}};
  const auto hashes = math::weighted_hashes(odd, 4);
  EXPECT_EQ(hashes, (std::vector<unsigned>{8, 0, max_hashes, 0}))
      << "never asked for, never a member";
  EXPECT_EQ(math::weighted_hashes({}, 4), std::vector<unsigned>{});
  EXPECT_TRUE(
      throws_error(errc::invalid, "queries", [&] { (void)math::weighted_optimum(odd, 4); }));
}

}  // namespace
}  // namespace bloomery::testing
