#include "bloomery/math/laws/occupancy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_value;
using bloomery::testing::simulated_bits;
using bloomery::testing::zeros_of;

struct setting {
  std::string name;
  bit_layout layout;
  ball_thrower thrower;
};

setting uniform_setting(std::uint64_t m, std::uint64_t k) {
  return {"uniform", uniform_layout(m, k), ball_thrower::uniform(m, k)};
}
setting partitioned_setting(std::uint64_t slice, std::uint64_t k) {
  return {"partitioned", partitioned_layout(slice, k), ball_thrower::partitioned(slice, k)};
}
setting blocked_setting(std::uint64_t blocks, lane_block block, std::uint64_t k) {
  return {"blocked", lane_blocked_layout(block, blocks, k),
          ball_thrower::lane_blocked(blocks, block.lanes, block.lane_bits, k)};
}

// Every equally likely set of bits that one key may take, by block, order of lanes and positions.
std::vector<std::uint64_t> lane_outcomes_of(const ball_thrower& thrower) {
  std::vector<std::uint64_t> outcomes;
  const std::uint64_t lane_bits = thrower.part_bits / thrower.lanes;
  std::vector<std::uint64_t> order(thrower.lanes);
  std::iota(order.begin(), order.end(), 0);
  do {
    for (std::uint64_t block = 0; block < thrower.parts; ++block) {
      const auto extend = [&](const auto& self, std::uint64_t ball, std::uint64_t set) -> void {
        if (ball == thrower.k) {
          outcomes.push_back(set);
          return;
        }
        const std::uint64_t lane = block * thrower.lanes + order[ball % thrower.lanes];
        for (std::uint64_t at = 0; at < lane_bits; ++at) {
          self(self, ball + 1, set | std::uint64_t{1} << (lane * lane_bits + at));
        }
      };
      extend(extend, 0, 0);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return outcomes;
}

// Every equally likely set of bits that one key may take.
std::vector<std::uint64_t> outcomes_of(const ball_thrower& thrower) {
  if (thrower.lanes > 1) return lane_outcomes_of(thrower);
  std::vector<std::uint64_t> outcomes;
  const std::uint64_t choices = thrower.one_ball_a_part ? 1 : thrower.parts;
  for (std::uint64_t part = 0; part < choices; ++part) {
    const auto extend = [&](const auto& self, std::uint64_t ball, std::uint64_t set) -> void {
      if (ball == thrower.k) {
        outcomes.push_back(set);
        return;
      }
      const std::uint64_t home = thrower.one_ball_a_part ? ball : part;
      for (std::uint64_t at = 0; at < thrower.part_bits; ++at) {
        self(self, ball + 1, set | std::uint64_t{1} << (home * thrower.part_bits + at));
      }
    };
    extend(extend, 0, 0);
  }
  return outcomes;
}

struct moments {
  double mean_a = 0;
  double mean_b = 0;
  double covariance = 0;
};

// By enumeration: A holds `only_a` keys of its own, B `only_b`, and both hold `common`.
moments enumerated(const ball_thrower& thrower, int only_a, int only_b, int common) {
  const auto outcomes = outcomes_of(thrower);
  double cases = 0;
  double sum_a = 0;
  double sum_b = 0;
  double sum_ab = 0;
  const auto visit = [&](const auto& self, int key, std::uint64_t a, std::uint64_t b) -> void {
    if (key == only_a + only_b + common) {
      const double zeros_a = real(thrower.bits()) - std::popcount(a);
      const double zeros_b = real(thrower.bits()) - std::popcount(b);
      cases += 1;
      sum_a += zeros_a;
      sum_b += zeros_b;
      sum_ab += zeros_a * zeros_b;
      return;
    }
    const bool in_a = key < only_a + common;
    const bool in_b = key >= only_a;
    for (const std::uint64_t set : outcomes) {
      self(self, key + 1, in_a ? a | set : a, in_b ? b | set : b);
    }
  };
  visit(visit, 0, 0, 0);
  return {sum_a / cases, sum_b / cases, sum_ab / cases - sum_a / cases * (sum_b / cases)};
}

TEST(bit_layout, moments_are_those_of_every_outcome_counted) {
  for (const setting& s :
       {uniform_setting(2, 1), uniform_setting(4, 2), uniform_setting(3, 3),
        partitioned_setting(3, 2), partitioned_setting(2, 3), blocked_setting(2, {2, 2}, 1),
        blocked_setting(2, {2, 2}, 2), blocked_setting(1, {2, 2}, 3), blocked_setting(2, {2, 2}, 3),
        blocked_setting(1, {3, 2}, 2), blocked_setting(2, {2, 2}, 4)}) {
    for (const auto& [only_a, only_b, common] :
         {std::array{0, 0, 1}, {0, 0, 2}, {1, 0, 1}, {1, 1, 1}, {0, 1, 2}, {1, 1, 0}}) {
      SCOPED_TRACE(s.name + " of " + std::to_string(s.thrower.bits()) + " bits, keys " +
                   std::to_string(only_a) + ' ' + std::to_string(only_b) + ' ' +
                   std::to_string(common));
      const moments expected = enumerated(s.thrower, only_a, only_b, common);
      const double a = only_a + common;
      const double b = only_b + common;
      EXPECT_NEAR(s.layout.expected_zeros(a), expected.mean_a, 1e-13);
      EXPECT_NEAR(s.layout.expected_zeros(b), expected.mean_b, 1e-13);
      EXPECT_NEAR(s.layout.covariance(a, b, common), expected.covariance, 1e-13);
    }
  }
}

// 20,000 pairs of filters per layout: A of 60 keys, B of 80, 30 of them shared.
TEST(bit_layout, moments_are_those_of_random_filters) {
  constexpr int trials = 20'000;
  for (const setting& s :
       {uniform_setting(500, 4), partitioned_setting(125, 4), blocked_setting(8, {8, 8}, 5)}) {
    SCOPED_TRACE(s.name);
    std::mt19937_64 random(13);
    double sum_a = 0;
    double sum_b = 0;
    double sum_aa = 0;
    double sum_ab = 0;
    // Deviations are taken from the expectation under test, so no precision is lost.
    const double mean_a = s.layout.expected_zeros(60);
    const double mean_b = s.layout.expected_zeros(80);
    for (int i = 0; i < trials; ++i) {
      simulated_bits a(s.thrower.bits(), 0);
      simulated_bits b(s.thrower.bits(), 0);
      s.thrower.insert(random, 30, a, b);
      s.thrower.insert(random, 30, a);
      s.thrower.insert(random, 50, b);
      const double off_a = real(zeros_of(a)) - mean_a;
      const double off_b = real(zeros_of(b)) - mean_b;
      sum_a += off_a;
      sum_b += off_b;
      sum_aa += off_a * off_a;
      sum_ab += off_a * off_b;
    }
    const double variance_a = s.layout.covariance(60, 60, 60);
    const double variance_b = s.layout.covariance(80, 80, 80);
    const double covariance = s.layout.covariance(60, 80, 30);
    EXPECT_GT(covariance, 0);
    EXPECT_TRUE(plausible_value(sum_a / trials, 0, std::sqrt(variance_a / trials)));
    EXPECT_TRUE(plausible_value(sum_b / trials, 0, std::sqrt(variance_b / trials)));
    // Sampling errors of second moments, for near-normal zeros.
    EXPECT_TRUE(plausible_value(sum_aa / trials, variance_a, variance_a * std::sqrt(2.0 / trials)));
    EXPECT_TRUE(
        plausible_value(sum_ab / trials, covariance,
                        std::sqrt((variance_a * variance_b + covariance * covariance) / trials)));
  }
}

// To first order an estimate errs by zeros' error over m·β^n·ln β.
TEST(bit_layout, estimate_covariance_is_the_scaled_covariance) {
  for (const setting& s :
       {uniform_setting(500, 4), partitioned_setting(125, 4), blocked_setting(8, {8, 8}, 5)}) {
    const double a = 60;
    const double b = 80;
    const double common = 30;
    const double scale = s.layout.expected_zeros(a) * s.layout.expected_zeros(b) *
                         s.layout.log_avoid * s.layout.log_avoid;
    const double expected = s.layout.covariance(a, b, common) / scale;
    EXPECT_NEAR(s.layout.estimate_covariance(common), expected, 1e-12 * expected) << s.name;
  }
}

TEST(bit_layout, blocks_spread_more_than_one_array) {
  const double blocked = lane_blocked_layout({}, 100, 6).covariance(5000, 5000, 5000);
  const double uniform = uniform_layout(51'200, 6).covariance(5000, 5000, 5000);
  EXPECT_GT(blocked, uniform);
}

TEST(bit_layout, a_single_lane_is_uniform) {
  const auto one = lane_blocked_layout({1, 512}, 1, 1);
  const auto uniform = uniform_layout(512, 1);
  EXPECT_DOUBLE_EQ(one.expected_zeros(70), uniform.expected_zeros(70));
  const double variance = uniform.covariance(70, 70, 70);
  EXPECT_NEAR(one.covariance(70, 70, 70), variance, 1e-10 * variance);
}

// Variance is a small difference of large terms: at 2^40 bits it must still match the limit
// m·e^{-a}(1-(1+a)e^{-a}) of independent balls.
TEST(bit_layout, keeps_its_digits_for_large_filters) {
  const std::uint64_t m = std::uint64_t{1} << 40;
  const std::uint64_t k = 7;
  const double n = 1e11;
  const double a = real(k) * n / real(m);
  const double limit = real(m) * std::exp(-a) * (1 - (1 + a) * std::exp(-a));
  const double variance = uniform_layout(m, k).covariance(n, n, n);
  EXPECT_NEAR(variance, limit, 1e-3 * limit);
  const double in_blocks = lane_blocked_layout({}, m / 512, k).covariance(n, n, n);
  EXPECT_GT(in_blocks, limit);
  EXPECT_LT(in_blocks, 100 * limit);
}

TEST(bit_layout, no_keys_leave_every_bit_zero) {
  for (const setting& s :
       {uniform_setting(1, 3), uniform_setting(500, 4), partitioned_setting(1, 4),
        partitioned_setting(125, 4), blocked_setting(8, {8, 8}, 5)}) {
    EXPECT_EQ(s.layout.expected_zeros(0), s.layout.bits) << s.name;
    EXPECT_EQ(s.layout.covariance(0, 0, 0), 0) << s.name;
  }
}

TEST(bit_layout, a_drowned_filter_has_no_variance_left) {
  for (const setting& s :
       {uniform_setting(1, 3), uniform_setting(500, 4), partitioned_setting(1, 4),
        partitioned_setting(125, 4), blocked_setting(8, {8, 8}, 5)}) {
    EXPECT_NEAR(s.layout.expected_zeros(1e7), 0, 1e-9) << s.name;
    EXPECT_NEAR(s.layout.covariance(1e7, 1e7, 1e7), 0, 1e-9) << s.name;
  }
}

// The figures of docs/filters/blocked.md: a million keys at 1 % and at 0.01 %. Up to eight bits of a
// key are distinct, so that only with more the uniform formula errs.
TEST(blocked_layout, is_not_the_uniform_one) {
  constexpr double keys = 1e6;
  const auto seen_by_uniform = [](double rate) {
    const blocked_size blocked = plan_blocked(1'000'000, rate);
    const bit_layout right = lane_blocked_layout({}, blocked.blocks, blocked.hashes);
    const bit_layout wrong = uniform_layout(blocked.blocks * 512, blocked.hashes);
    return std::log(right.expected_zeros(keys) / right.bits) / wrong.log_avoid;
  };
  EXPECT_NEAR(seen_by_uniform(0.01), 1'000'000, 1);
  EXPECT_NEAR(seen_by_uniform(0.0001), 994'792, 1);
  const blocked_size blocked = plan_blocked(1'000'000, 0.01);
  const bit_layout right = lane_blocked_layout({}, blocked.blocks, blocked.hashes);
  EXPECT_NEAR(std::sqrt(right.estimate_covariance(keys)), 255, 0.5);
  const standard_size standard = plan_standard(1'000'000, 0.01);
  const bit_layout plain = uniform_layout(standard.bits, standard.hashes);
  EXPECT_NEAR(std::sqrt(plain.estimate_covariance(keys)), 260, 0.5);
}

}  // namespace
}  // namespace bloomery::math
