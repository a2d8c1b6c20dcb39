#include "bloomery/math/kinds/forgetting.hpp"

#include <cmath>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
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

TEST(forgetting, stable_cells_obey_their_chain) {
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

// Num of card 26, and the formula for the limit as the paper has it.
TEST(forgetting, the_card_of_the_stable_filter) {
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

TEST(forgetting, plans_hold_both_errors_down_for_ever) {
  for (const std::uint64_t window : {1U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-5}) {
      const stable_size stable = plan_stable(window, rate);
      EXPECT_LE(std::pow(stable_limit(stable), real(stable.hashes)), rate);
      EXPECT_LE(stable_misses(stable, window), planned_misses);
      const signature_size signature = plan_signatures(window, rate);
      EXPECT_LE(signature_rate(signature, max_items), rate);
      EXPECT_LE(signature_misses(signature, window), planned_misses);
      const buffer_size buffers = plan_buffers(window, rate);
      EXPECT_GE(buffered_window(buffers), window);
      EXPECT_LE(buffered_peak(buffers), rate);
      for (std::uint64_t n = 1; n < 8 * window; n += 1 + window / 4) {
        EXPECT_LE(buffered_rate(buffers, n), rate);
        EXPECT_LE(stable_rate(stable, n), rate);
        EXPECT_LE(signature_rate(signature, n), rate * (1 + 1e-9));
      }
    }
  }
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_stable(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_signatures(9, 1); }));
  EXPECT_TRUE(throws_error(errc::limit, "64 hashes", [] { (void)plan_buffers(9, 1e-9); }));
  EXPECT_TRUE(throws_error(errc::limit, "window", [] { (void)plan_stable(max_keys, 1e-9); }));
  EXPECT_TRUE(throws_error(errc::limit, "window", [] { (void)plan_signatures(max_keys, 1e-9); }));
}

TEST(forgetting, a_buffer_is_exact_until_it_can_be_swapped) {
  const buffer_size shape{1000, 5};
  EXPECT_EQ(buffered_window(shape), 100U);
  EXPECT_EQ(buffered_rate(shape, 200), exact_rate(1000, 200, 5));
  EXPECT_EQ(buffered_rate(shape, 5000), buffered_peak(shape));
  EXPECT_NEAR(buffered_peak({1'000'000, 5}), std::pow(0.75, 5), 1e-4);
}

TEST(forgetting, binomial_tails_agree) {
  EXPECT_NEAR(at_least_of(10, 8, 0.3), 0.00159039, 1e-8);
  for (const double p : {0.01, 0.3, 0.5, 0.9, 1.0}) {
    for (std::uint64_t hits = 0; hits <= 21; ++hits) {
      EXPECT_NEAR(at_least_of(20, hits, p), binomial_upper(hits, 20, p), 1e-12);
    }
  }
}

// The fill of swept bits, bit by bit: when was each last cleared, and how many arrivals since?
TEST(forgetting, swept_bits_obey_their_law) {
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

TEST(forgetting, signatures_fade) {
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
  EXPECT_NEAR(signature_misses(shape, 5000), 1 - signature_rate(shape, 5001), 1e-9);
  const query_cost cost = signature_cost(shape, 5000);
  EXPECT_GT(cost.absent, 5);
  EXPECT_LT(cost.absent, 10);
}

}  // namespace
}  // namespace bloomery::math
