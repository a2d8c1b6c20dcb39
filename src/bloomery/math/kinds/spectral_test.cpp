#include "bloomery/math/kinds/spectral.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::math {
namespace {

// 0 takes one bit, 1 and 2 take four, 3 to 6 five, 7 to 14 eight.
TEST(delta_codes, are_as_long_as_their_values_say) {
  EXPECT_EQ(delta_code_bits(0), 1);
  for (const double load : {1e-3, 0.3, 0.7, 2.0}) {
    double expected = 0;
    double chance = std::exp(-load);
    for (int value = 0; value < 15; ++value) {
      expected += chance * (value == 0 ? 1 : value <= 2 ? 4 : value <= 6 ? 5 : 8);
      chance *= load / (value + 1);
    }
    EXPECT_NEAR(delta_code_bits(load), expected, 1e-7);
  }
}

}  // namespace
}  // namespace bloomery::math
