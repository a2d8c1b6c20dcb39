#include "bloomery/math/kinds/decay.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(decay, fractions_of_keys_lie_between_whole_ones) {
  EXPECT_DOUBLE_EQ(marked_rate(500, 4, 60), exact_rate(500, 60, 4));
  EXPECT_GT(marked_rate(500, 4, 60.5), exact_rate(500, 60, 4));
  EXPECT_LT(marked_rate(500, 4, 60.5), exact_rate(500, 61, 4));
}

TEST(decay, the_card_of_the_decaying_filter) {
  EXPECT_NEAR(decaying_rate(8000, 5, 1000, 1000), 0.0217, 5e-5);
  EXPECT_EQ(decaying_rate(8000, 5, 1000, 1000), decaying_rate(8000, 5, 1000, 99'999));
  EXPECT_LT(decaying_rate(8000, 5, 1000, 999), decaying_rate(8000, 5, 1000, 1000));
}

TEST(decay, the_hand_comes_round_before_the_cycle) {
  for (const std::uint64_t window : {1U, 2U, 3U, 4U, 1000U, 1023U, 1024U}) {
    const std::uint64_t cycle = stamp_cycle(window);
    EXPECT_EQ(stamp_bits(window), static_cast<std::uint64_t>(std::bit_width(window)) + 1);
    EXPECT_GE(cycle, 2 * window);
    for (const std::uint64_t cells : {1U, 7U, 5000U}) {
      const std::uint64_t step = cells_swept(cells, window);
      EXPECT_GE(step * (cycle - window), cells);
      EXPECT_LE(step, cells);
    }
  }
}

// The fill by simulation: blocks run down as the card says, marks thrown by an outside generator.
TEST(decay, blocks_hold_what_the_law_says) {
  const block_decay shape{40, 30, 3, 100};
  ASSERT_EQ(shape.start(), 4U);
  ASSERT_EQ(shape.counter_bits(), 3U);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> counters(shape.cells(), 0);
  testing::sample fills;
  constexpr std::uint64_t arrivals = 200'000;
  constexpr std::uint64_t apart = 400;  // samples that share no arrival
  for (std::uint64_t t = 0; t < arrivals; ++t) {
    for (std::uint64_t i = 0; i < shape.block_cells; ++i) {
      std::uint64_t& counter = counters[t % shape.blocks * shape.block_cells + i];
      counter -= std::uint64_t{counter != 0};
    }
    for (std::uint64_t i = 0; i < shape.hashes; ++i) {
      counters[std::uniform_int_distribution<std::uint64_t>(0, counters.size() - 1)(random)] =
          shape.start();
    }
    if (t % apart != apart - 1) continue;
    double full = 0;
    for (const std::uint64_t counter : counters) full += real(counter != 0);
    fills.add(full / real(counters.size()));
  }
  const double one_hash = marked_rate(shape.cells(), 1, 1);  // of a ball
  double zeros = 0;
  for (std::uint64_t e = 0; e < shape.blocks; ++e) {
    zeros += std::pow(1 - one_hash, real(shape.hashes * (shape.least_life() + e)));
  }
  const double law = 1 - zeros / real(shape.blocks);
  EXPECT_TRUE(testing::plausible_mean(fills, law));
  // And the rate is that of the same fill.
  EXPECT_NEAR(block_decaying_rate(shape, max_items), std::pow(law, 3), 0.01 * std::pow(law, 3));
}

TEST(decay, rates_rise_until_all_has_been_forgotten_once) {
  const block_decay shape{50, 40, 5, 200};
  double before = 0;
  for (std::uint64_t n = 1; n < 400; ++n) {
    const double rate = block_decaying_rate(shape, n);
    EXPECT_GE(rate, before);
    if (n <= shape.least_life()) {
      EXPECT_DOUBLE_EQ(rate, exact_rate(shape.cells(), n, 5));
    }
    before = rate;
  }
  EXPECT_DOUBLE_EQ(block_decaying_rate(shape, 400), block_decaying_rate(shape, max_items));
}

TEST(decay, plans_keep_the_rate_for_ever_and_are_tight) {
  for (const std::uint64_t window : {1U, 2U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6, 1e-12}) {
      block_decay blocks = plan_block_decaying(window, rate);
      EXPECT_GE(blocks.least_life(), window);
      EXPECT_LE(block_decaying_rate(blocks, max_items), rate);
      --blocks.block_cells;
      EXPECT_TRUE(blocks.block_cells == 0 || block_decaying_rate(blocks, max_items) > rate);
      const double half_lives = real(planned_half_lives);
      time_decay decay = plan_time_decaying(window, rate, half_lives);
      const auto keys = real(window);
      EXPECT_LE(time_decaying_rate(decay, keys, half_lives, true), rate);
      EXPECT_GE(time_decaying_rate(decay, keys, half_lives, true),
                time_decaying_rate(decay, keys, half_lives, false));
      --decay.cells;
      EXPECT_TRUE(decay.cells == 0 || time_decaying_rate(decay, keys, half_lives, true) > rate);
    }
  }
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_block_decaying(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_block_decaying(9, 0); }));
  EXPECT_TRUE(throws_error(errc::limit, "window",
                           [] { (void)plan_block_decaying(std::uint64_t{1} << 47, 1e-9); }));
  EXPECT_TRUE(throws_error(errc::limit, "window",
                           [] { (void)plan_time_decaying(std::uint64_t{1} << 47, 1e-9, 8); }));
}

// P(S < 1) for S the sum of what is left of marks that come with probability p: simulated, one sample
// each thousand arrivals, against e^(-γθ)/Γ(1+θ); half-lives of 200 arrivals are many.
TEST(decay, remains_add_up_as_dickman_says) {
  constexpr double mark = 0.003;
  constexpr double half_life = 200;
  const double step = std::exp2(-1 / half_life);
  const double theta = mark * half_life / std::log(2.0);
  std::mt19937_64 random(2);
  std::bernoulli_distribution marked(mark);
  double sum = 0;
  std::uint64_t below = 0;
  constexpr std::uint64_t samples = 4000;
  for (std::uint64_t t = 0; t < samples * 1000; ++t) {
    sum = sum * step + real(marked(random));
    if (t % 1000 == 999) below += std::uint64_t{sum < 1};
  }
  const double law = std::exp(-0.57721566490153286 * theta) / std::tgamma(1 + theta);
  EXPECT_TRUE(testing::plausible_count(below, samples, law));
  // The same law in time_decaying_rate: one hash, so that the rate is the fill.
  constexpr std::uint64_t cells = 1'000'000;
  constexpr double keys = 500'000;
  const double crowd = keys / cells / (4 * std::log(2.0));
  const double fill = 1 - std::exp(keys * std::log1p(-1.0 / cells)) *
                              std::exp(-0.57721566490153286 * crowd) / std::tgamma(1 + crowd);
  EXPECT_NEAR(time_decaying_rate({cells, 1}, keys, 4, true), fill, 1e-5);
}

}  // namespace
}  // namespace bloomery::math
