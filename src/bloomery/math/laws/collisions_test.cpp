#include "bloomery/math/laws/collisions.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bloomery::math {
namespace {

TEST(collisions, of_short_keys_are_those_of_nh) {
  EXPECT_EQ(universal_collision(0), std::ldexp(1.0, -64));
  EXPECT_EQ(universal_collision(universal_block), std::ldexp(1.0, -64));
}

// 2^40 bytes are 2^30 blocks: 2^31 roots and two among 2^124 points, 2^-29 of the first term.
TEST(collisions, of_long_keys_grow_with_their_blocks) {
  const double roots = universal_collision(std::uint64_t{1} << 40) - std::ldexp(1.0, -64);
  EXPECT_NEAR(roots / std::ldexp(1.0, -93), 1, 1e-6);
  EXPECT_LT(universal_collision(universal_block), universal_collision(std::uint64_t{1} << 50));
}

TEST(collisions, of_many_keys_are_those_of_their_pairs) {
  EXPECT_EQ(any_collision(0, 60), 0);
  EXPECT_EQ(any_collision(1, 60), 0);
  EXPECT_EQ(any_collision(2, 60), universal_collision(60));
  EXPECT_EQ(any_collision(1000, 60), 499'500 * universal_collision(60));
  EXPECT_EQ(any_collision(std::uint64_t{1} << 40, 60), 1);
}

}  // namespace
}  // namespace bloomery::math
