#include "bloomery/math/kinds/retouched.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::testing {
namespace {

TEST(retouched_math, clears_nothing_some_or_all) {
  EXPECT_EQ(math::retouched_share(0, 7), 0);
  EXPECT_EQ(math::retouched_share(1, 7), 1);
  EXPECT_NEAR(math::retouched_share(0.25, 2), 7.0 / 16, 1e-16);
  EXPECT_NEAR(math::retouched_share(1e-18, 10), 1e-17, 1e-32) << "small shares do not vanish";
  EXPECT_TRUE(
      throws_error(errc::invalid, "cleared_share", [] { (void)math::retouched_share(1.1, 7); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes", [] { (void)math::retouched_share(0.1, 0); }));
}

TEST(retouched_math, gain_is_a_ratio) {
  EXPECT_EQ(math::retouching_gain(0.5, 0.25), 2);
  EXPECT_TRUE(std::isinf(math::retouching_gain(0.5, 0)));
  EXPECT_EQ(math::retouching_gain(0, 0), 1) << "nothing for nothing";
}

}  // namespace
}  // namespace bloomery::testing
