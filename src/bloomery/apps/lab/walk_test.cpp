#include "bloomery/apps/lab/walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bloomery/apps/lab/result.hpp"
#include "bloomery/core/error.hpp"
#include "testing.hpp"

namespace bloomery::lab {
namespace {

using bloomery::testing::throws_error;

constexpr walk_plan plan{.walkers = 200, .side = 16, .stride = 1.5, .snapshots = 60};

TEST(walk, nobody_leaves_and_one_more_changes_nothing) {
  const auto seen = walks(plan, 3);
  ASSERT_EQ(seen.size(), plan.snapshots);
  walk_plan larger = plan;
  ++larger.walkers;
  const auto with_one_more = walks(larger, 3);
  EXPECT_NE(seen, walks(plan, 4));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].size(), plan.walkers);
    for (std::size_t who = 0; who < plan.walkers; ++who) {
      const point& at = seen[i][who];
      EXPECT_TRUE(at.x >= 0 && at.x <= plan.side && at.y >= 0 && at.y <= plan.side);
      EXPECT_EQ(at, with_one_more[i][who]);
    }
  }
}

// Of 10,000 walkers, those who cannot have met the border.
TEST(walk, steps_are_as_long_as_planned) {
  walk_plan two = plan;
  two.walkers = 10'000;
  two.snapshots = 2;
  const auto seen = walks(two, 5);
  std::vector<double> steps;
  for (std::size_t who = 0; who < two.walkers; ++who) {
    const auto [x, y] = seen[0][who];
    if (std::min({x, y, two.side - x, two.side - y}) < 2 * two.stride) continue;
    steps.push_back(std::hypot(seen[1][who].x - x, seen[1][who].y - y));
  }
  EXPECT_GT(steps.size(), 3000U);
  EXPECT_TRUE(mean_of("steps", unit::real, steps, two.stride).as_predicted());
}

TEST(walk, refuses_what_is_no_plan) {
  const auto refused = [](walk_plan wrong, errc code, const char* why) {
    EXPECT_TRUE(throws_error(code, why, [&] { walks(wrong, 1); }));
  };
  refused({.walkers = 0, .stride = 0.1}, errc::invalid, "walkers");
  refused({.stride = 0.1, .snapshots = 10'001}, errc::invalid, "snapshots");
  refused({.walkers = 100'000, .stride = 0.1, .snapshots = 101}, errc::limit, "positions");
  refused({.side = 1, .stride = 0.5}, errc::invalid, "stride");
  refused({.side = 1, .stride = 0}, errc::invalid, "stride");
  refused({.side = 1, .stride = std::nan("")}, errc::invalid, "stride");
}

}  // namespace
}  // namespace bloomery::lab
