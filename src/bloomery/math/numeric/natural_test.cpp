#include "bloomery/math/numeric/natural.hpp"

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(natural, adds_takes_away_and_multiplies_across_limbs) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  natural value(most);
  value += natural(1);
  EXPECT_EQ(value, power(2, 64));
  EXPECT_EQ(value - natural(1), natural(most));
  EXPECT_EQ(value - value, natural());
  EXPECT_EQ(natural() * value, natural());
  // (2^64 - 1)^2 = 2^128 - 2^65 + 1
  EXPECT_EQ(natural(most) * natural(most), power(2, 128) - power(2, 65) + natural(1));
  EXPECT_EQ(power(10, 30) * power(10, 45), power(10, 75));
  EXPECT_EQ(power(7, 0), natural(1));
}

TEST(natural, ratios_are_right_to_the_last_digits) {
  EXPECT_EQ(ratio(natural(), natural(3)), 0);
  EXPECT_NEAR(ratio(power(3, 500), power(3, 501)) * 3, 1, 1e-15);
  EXPECT_NEAR(ratio(power(10, 40) + natural(1), power(10, 20)) / 1e20, 1, 1e-15);
  EXPECT_EQ(ratio(natural(1), power(2, 1000)), std::ldexp(1.0, -1000));
}

}  // namespace
}  // namespace bloomery::math
