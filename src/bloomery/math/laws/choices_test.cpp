#include "bloomery/math/laws/choices.hpp"

#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(choices, the_fewest_ones_are_an_order_statistic) {
  for (const std::uint64_t throws : {1U, 7U, 100U}) {
    for (const double zeros : {0.001, 0.5, 0.999}) {
      for (const std::uint64_t d : {1U, 2U, 64U}) {
        double sum = 0;
        for (std::uint64_t i = 1; i <= throws; ++i) {
          sum += std::pow(binomial_upper(i, throws, zeros), d);
        }
        EXPECT_NEAR(fewest_ones(throws, zeros, d), sum, 1e-10 * sum);
      }
    }
  }
  EXPECT_EQ(fewest_ones(7, 1, 2), 7);
  EXPECT_EQ(fewest_ones(7, 0, 2), 0);
  EXPECT_EQ(fewest_ones(0, 0.5, 2), 0);
  // The normal limit takes over smoothly: it is off by O(1) ones in thousands.
  EXPECT_NEAR(fewest_ones(4097, 0.4, 64) / 4097, fewest_ones(4096, 0.4, 64) / 4096, 1e-4);
}

}  // namespace
}  // namespace bloomery::math
