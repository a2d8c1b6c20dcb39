#include "bloomery/math/kinds/dynamic.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Guo et al.: m=1280, k=7, c=133.
TEST(rows, err_as_the_paper_says) {
  // The paper's numbers are the textbook formula's, 0.5 % below the exact rate here.
  EXPECT_NEAR(classic_rate(1280, 133, 7), 0.0098, 1e-4);
  EXPECT_NEAR(rows_rate(1280, 7, 133, 133), 0.0098, 1.5e-4);
  EXPECT_NEAR(1 - std::pow(1 - classic_rate(1280, 133, 7), 10), 0.094, 5e-4);
  EXPECT_NEAR(rows_rate(1280, 7, 133, 1330), 0.094, 1.1e-3);
  EXPECT_EQ(rows_rate(1280, 7, 133, 0), 0);
  EXPECT_DOUBLE_EQ(rows_rate(1280, 7, 133, 50), exact_rate(1280, 50, 7));
}

// Rows that claim everything before they are full.
TEST(rows, beyond_reason_have_a_rate_too) {
  EXPECT_EQ(rows_rate(1, 1, max_keys, 20), 1);
  EXPECT_EQ(rows_rate(1, 1, max_keys, 0), 0);
}

}  // namespace
}  // namespace bloomery::math
