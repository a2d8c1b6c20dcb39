#include "bloomery/math/laws/map_values.hpp"

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(map_values, take_the_bits_they_take) {
  EXPECT_EQ(value_bits(1), 0U);
  EXPECT_EQ(value_bits(2), 1U);
  EXPECT_EQ(value_bits(256), 8U);
  EXPECT_EQ(value_bits(257), 9U);
  EXPECT_EQ(value_bits(max_map_values), 32U);
  EXPECT_EQ(least_map_bits(256, 1.0 / 1024), 18);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "values is 0", [] { (void)value_bits(0); }));
}

}  // namespace
}  // namespace bloomery::math
