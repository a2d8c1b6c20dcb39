#include "bloomery/math/laws/lanes.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_count;
using bloomery::testing::simulated_bits;
using bloomery::testing::throws_error;

// One query and `load` keys in one block, every outcome counted: a key is an order of the lanes and
// a position for each of its k bits.
double enumerated_rate(const lane_block& block, std::uint64_t k, int load) {
  std::vector<std::uint64_t> outcomes;
  std::vector<std::uint64_t> order(block.lanes);
  std::iota(order.begin(), order.end(), 0);
  do {
    const auto extend = [&](const auto& self, std::uint64_t ball, std::uint64_t set) -> void {
      if (ball == k) {
        outcomes.push_back(set);
        return;
      }
      for (std::uint64_t at = 0; at < block.lane_bits; ++at) {
        self(self, ball + 1,
             set | std::uint64_t{1} << (order[ball % block.lanes] * block.lane_bits + at));
      }
    };
    extend(extend, 0, 0);
  } while (std::next_permutation(order.begin(), order.end()));
  std::uint64_t positive = 0;
  std::uint64_t cases = 0;
  const auto fill = [&](const auto& self, int keys, std::uint64_t bits) -> void {
    if (keys == load) {
      for (const std::uint64_t query : outcomes) positive += (query & ~bits) == 0 ? 1 : 0;
      cases += outcomes.size();
      return;
    }
    for (const std::uint64_t set : outcomes) self(self, keys + 1, bits | set);
  };
  fill(fill, 0, 0);
  return real(positive) / real(cases);
}

TEST(rates_by_load, are_those_of_every_outcome_counted) {
  for (const lane_block& block : {lane_block{2, 2}, {2, 3}, {3, 2}, {1, 4}}) {
    for (std::uint64_t k = 1; k <= block.most_hashes(); ++k) {
      const std::vector<double> rates = rates_by_load(block, k);
      const int most = block.lanes * k > 8 ? 1 : 2;
      for (int load = 0; load <= most; ++load) {
        EXPECT_NEAR(rates.at(static_cast<std::size_t>(load)), enumerated_rate(block, k, load),
                    1e-14)
            << block.lanes << " lanes of " << block.lane_bits << ", k=" << k << ", load " << load;
      }
    }
  }
}

// Where every lane gets the same, lanes are independent: e(64, rounds·i, rounds)^8.
TEST(rates_by_load, of_whole_rounds_are_powers) {
  const lane_block line;
  const auto once = rates_by_load(line, 8);
  const auto twice = rates_by_load(line, 16);
  for (const std::uint64_t load : {1U, 10U, 48U, 100U, 300U}) {
    const double one = std::pow(exact_rate(64, load, 1), 8);
    const double two = std::pow(exact_rate(64, load, 2), 8);
    EXPECT_NEAR(once[load], one, 1e-12 * one);
    EXPECT_NEAR(twice[load], two, 1e-12 * two);
  }
}

TEST(rates_by_load, rise_to_one) {
  for (std::uint64_t k = 1; k <= 16; ++k) {
    const auto rates = rates_by_load({}, k);
    EXPECT_EQ(rates[0], 0);
    EXPECT_TRUE(std::is_sorted(rates.begin(), rates.end()));
    EXPECT_NEAR(rates.back(), 1, 1e-13);
  }
}

// The price of lanes against positions anywhere in the block, at the sizes people use.
TEST(lane_blocked_rate, is_within_six_percent_of_free_positions) {
  constexpr std::uint64_t blocks = 100'000;
  for (const auto& [c, k] :
       std::array<std::array<std::uint64_t, 2>, 4>{{{8, 5}, {12, 7}, {16, 9}, {20, 11}}}) {
    const std::uint64_t n = blocks * 512 / c;
    const double free = blocked_rate(blocks, 512, n, k);
    const double lanes = lane_blocked_rate({}, blocks, n, k);
    EXPECT_GT(lanes, 0.99 * free);
    EXPECT_LT(lanes, 1.06 * free);
  }
}

TEST(lane_blocked_rate, is_the_binomial_mean_over_block_loads) {
  const lane_block block{4, 8};
  for (const std::uint64_t k : {1U, 3U, 4U, 6U, 8U}) {
    const auto rates = rates_by_load(block, k);
    for (const std::uint64_t blocks : {1U, 2U, 5U}) {
      constexpr std::uint64_t n = 30;
      std::vector<double> loads(n + 1, 0);
      loads[0] = 1;
      for (std::uint64_t key = 0; key < n; ++key) {
        for (std::uint64_t load = key + 1; load > 0; --load) {
          loads[load] += (loads[load - 1] - loads[load]) / real(blocks);
        }
        loads[0] -= loads[0] / real(blocks);
      }
      double expected = 0;
      for (std::uint64_t load = 0; load <= n; ++load) {
        expected += loads[load] * (load < rates.size() ? rates[load] : 1);
      }
      EXPECT_NEAR(lane_blocked_rate(block, blocks, n, k), expected, 1e-12 * expected);
    }
  }
}

// 200,000 filters, one query each.
TEST(lane_blocked_rate, is_that_of_random_filters) {
  constexpr std::uint64_t trials = 200'000;
  for (const std::uint64_t k : {3U, 4U, 5U, 7U}) {
    const auto thrower = ball_thrower::lane_blocked(3, 4, 16, k);
    std::mt19937_64 random(2007);
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
      simulated_bits bits(thrower.bits(), 0);
      thrower.insert(random, 30, bits);
      bool positive = true;
      thrower.throw_key(random, [&](std::uint64_t at) { positive = positive && bits[at] != 0; });
      hits += positive;
    }
    EXPECT_TRUE(plausible_count(hits, trials, lane_blocked_rate({4, 16}, 3, 30, k))) << k;
  }
}

TEST(lane_blocked_rate, of_an_absurd_number_of_keys_is_one_at_once) {
  EXPECT_EQ(lane_blocked_rate({}, 10, max_keys, 8), 1);
  EXPECT_EQ(lane_blocked_rate({}, 10, 0, 8), 0);
  EXPECT_NEAR(lane_blocked_rate({}, 1, 5000, 16), 1, 1e-15);
}

TEST(lane_blocked_rate, refuses_what_no_block_has) {
  EXPECT_TRUE(throws_error(errc::invalid, "hashes is 17; allowed: 1 to 16",
                           [] { (void)lane_blocked_rate({}, 10, 10, 17); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "hashes is 0;", [] { (void)lane_blocked_rate({}, 10, 10, 0); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "blocks is 0;", [] { (void)lane_blocked_rate({}, 0, 10, 8); }));
  EXPECT_TRUE(throws_error(errc::invalid, "blocks is 549755813889;",
                           [] { (void)lane_blocked_rate({}, max_bits / 512 + 1, 10, 8); }));
  EXPECT_TRUE(throws_error(errc::invalid, "lane_bits is 1;", [] {
    (void)rates_by_load({8, 1}, 8);
  }));
}

TEST(load_rates, are_those_of_all_loads_as_far_as_asked) {
  for (const std::uint64_t k : {1U, 5U, 8U, 11U, 16U}) {
    const std::vector<double> all = rates_by_load({}, k);
    load_rates some({}, k);
    for (const std::uint64_t load : {40U, 3U, 200U}) EXPECT_EQ(some.at(load), all[load]);
    EXPECT_TRUE(some.below_one(all.size() - 1));
    EXPECT_FALSE(some.below_one(all.size()));
    EXPECT_EQ(some.at(all.size()), 1);
    EXPECT_EQ(recent_load_rates({}, k).at(40), all[40]);
  }
  // More of them than are remembered.
  for (std::uint64_t bits = 2; bits < 60; ++bits) {
    const lane_block block{8, bits};
    EXPECT_EQ(recent_load_rates(block, 3).at(2), rates_by_load(block, 3)[2]);
  }
}

// Every query counted: a choice of lanes and a position in each.
TEST(lane_instance_rate, is_the_share_of_queries_that_hit) {
  constexpr std::uint64_t bits = 0b1011'0010'1111;  // three lanes of four
  const std::array fills{4.0 / 4, 1.0 / 4, 3.0 / 4};
  EXPECT_DOUBLE_EQ(lane_instance_rate(fills, 1), 8.0 / 12);
  EXPECT_DOUBLE_EQ(lane_instance_rate(fills, 2), (1 * 0.25 + 1 * 0.75 + 0.25 * 0.75) / 3);
  EXPECT_DOUBLE_EQ(lane_instance_rate(fills, 3), 1 * 0.25 * 0.75);
  EXPECT_DOUBLE_EQ(lane_instance_rate(fills, 4), 1 * 0.25 * 0.75 * std::popcount(bits) / 12);
  EXPECT_DOUBLE_EQ(lane_instance_rate(fills, 6), 0.25 * 0.25 * 0.75 * 0.75);
}

}  // namespace
}  // namespace bloomery::math
