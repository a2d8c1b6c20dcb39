#include "bloomery/math/kinds/block_decaying.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// The fill by simulation: blocks run down by turns, marks thrown by an outside generator.
TEST(block_decaying, blocks_hold_what_the_law_says) {
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

TEST(block_decaying, rates_rise_until_all_has_been_forgotten_once) {
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

TEST(block_decaying, plans_keep_the_rate_for_ever_and_are_tight) {
  for (const std::uint64_t window : {1U, 2U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6, 1e-12}) {
      block_decay size = plan_block_decaying(window, rate);
      EXPECT_GE(size.least_life(), window);
      EXPECT_LE(block_decaying_rate(size, max_items), rate);
      --size.block_cells;
      EXPECT_TRUE(size.block_cells == 0 || block_decaying_rate(size, max_items) > rate);
    }
  }
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_block_decaying(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_block_decaying(9, 0); }));
  EXPECT_TRUE(throws_error(errc::limit, "window",
                           [] { (void)plan_block_decaying(std::uint64_t{1} << 47, 1e-9); }));
}

}  // namespace
}  // namespace bloomery::math
