#include "bloomery/math/laws/forgetting.hpp"

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(marked_rate, fractions_of_keys_lie_between_whole_ones) {
  EXPECT_DOUBLE_EQ(marked_rate(500, 4, 60), exact_rate(500, 60, 4));
  EXPECT_GT(marked_rate(500, 4, 60.5), exact_rate(500, 60, 4));
  EXPECT_LT(marked_rate(500, 4, 60.5), exact_rate(500, 61, 4));
}

}  // namespace
}  // namespace bloomery::math
