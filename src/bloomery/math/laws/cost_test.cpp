#include "bloomery/math/laws/cost.hpp"

#include <random>
#include <set>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"
#include "simulation.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_mean;
using bloomery::testing::sample;
using bloomery::testing::simulated_bits;

// Queries of `keys` fresh keys against `filters` simulated filters of n keys, lines counted.
void expect_simulated(const ball_thrower& layout, std::uint64_t n, const query_cost& predicted,
                      std::uint64_t filters, std::uint64_t keys) {
  std::mt19937_64 random(7);
  sample absent;
  sample present;
  for (std::uint64_t f = 0; f < filters; ++f) {
    simulated_bits bits(layout.bits(), 0);
    layout.insert(random, n, bits);
    for (std::uint64_t i = 0; i < keys; ++i) {
      std::set<std::uint64_t> until_zero;
      std::set<std::uint64_t> all;
      bool stopped = false;
      layout.throw_key(random, [&](std::uint64_t at) {
        all.insert(at / cache_line_bits);
        if (!stopped) until_zero.insert(at / cache_line_bits);
        stopped = stopped || bits[at] == 0;
      });
      absent.add(real(until_zero.size()));
      present.add(real(all.size()));
    }
  }
  EXPECT_TRUE(plausible_mean(absent, predicted.absent));
  if (present.error_squared() > 0) {
    EXPECT_TRUE(plausible_mean(present, predicted.present));
  } else {
    EXPECT_DOUBLE_EQ(present.mean(), predicted.present);
  }
}

// 40 filters × 5,000 queries each.
TEST(query_cost, is_what_simulated_queries_touch) {
  expect_simulated(ball_thrower::uniform(10 * 512, 7), 500, uniform_cost(10 * 512, 500, 7), 40,
                   5000);
  expect_simulated(ball_thrower::uniform(1000 * 512, 5), 90'000,
                   uniform_cost(1000 * 512, 90'000, 5), 4, 20'000);
  expect_simulated(ball_thrower::partitioned(1024, 6), 600, partitioned_cost(1024, 600, 6), 40,
                   5000);
}

TEST(query_cost, of_one_line_is_one) {
  EXPECT_DOUBLE_EQ(uniform_cost(512, 50, 7).present, 1);
  EXPECT_DOUBLE_EQ(uniform_cost(512, 50, 7).absent, 1);
  EXPECT_DOUBLE_EQ(uniform_cost(1, 0, 1).present, 1);
}

TEST(query_cost, of_an_empty_filter_is_one_line) {
  EXPECT_DOUBLE_EQ(uniform_cost(1 << 20, 0, 7).absent, 1);
  EXPECT_NEAR(uniform_cost(1 << 20, 0, 7).present, 7, 0.02);
}

TEST(cost, of_a_known_fill) {
  const query_cost known = filled_cost(0.5, 1 << 20, 7);
  EXPECT_NEAR(known.absent, 2, 0.02);
  EXPECT_NEAR(known.present, 7, 0.02);
}

}  // namespace
}  // namespace bloomery::math
