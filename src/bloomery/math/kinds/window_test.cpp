#include "bloomery/math/kinds/window.hpp"

#include <algorithm>

#include "bloomery/math/kinds/forgetting.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(window, every_way_keeps_the_rate) {
  for (const std::uint64_t window : {10U, 1000U, 1'000'000U}) {
    for (const double rate : {0.1, 0.01, 1e-4}) {
      const auto ways = compare_windows(window, rate);
      EXPECT_EQ(ways.size(), 7U);
      for (const window_choice& way : ways) {
        EXPECT_LE(way.rate, rate) << way.kind;
        EXPECT_GT(way.rate, rate / 3) << way.kind << " is too large";
        EXPECT_LE(way.misses, planned_misses) << way.kind;
        EXPECT_GE(way.query.present, way.query.absent) << way.kind;
        EXPECT_GT(way.insert_lines, 1) << way.kind;
      }
      EXPECT_TRUE(std::ranges::is_sorted(ways, {}, &window_choice::bits));
    }
  }
}

// Bits a key and lines of an absent key, for a million arrivals at 1 %.
TEST(window, the_two_that_are_small) {
  const auto ways = compare_windows(1'000'000, 0.01);
  EXPECT_EQ(ways[0].kind, "age-partitioned");
  EXPECT_NEAR(ways[0].bits / 1e6, 21.2, 0.1);
  EXPECT_EQ(ways[1].kind, "block-decaying");
  EXPECT_NEAR(ways[1].bits / 1e6, 24, 0.1);
  EXPECT_LT(ways[1].query.absent, 2);
  EXPECT_GT(ways[0].query.absent, 2 * ways[1].query.absent);
  EXPECT_GT(ways[2].bits, 2 * ways[1].bits);
}

TEST(window, what_cannot_be_is_left_out) {
  const auto ways = compare_windows(1000, 1e-10);
  EXPECT_TRUE(std::ranges::none_of(ways, [](const window_choice& way) {
    return way.kind == "double-buffered";  // its hashes end at 1e-8
  }));
  EXPECT_EQ(ways.size(), 6U);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "rate", [] { (void)compare_windows(9, 0); }));
}

}  // namespace
}  // namespace bloomery::math
