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

// Two balls into four bits, one of them set: all sixteen throws written out. Of two candidates.
TEST(choices, ones_are_added_by_the_law_of_throws) {
  const auto one = fewest_added(4, 1, 2, 1, 1);
  ASSERT_EQ(one.size(), 2U);
  EXPECT_EQ(one[0][0], 1);
  for (const auto& [j, ways] : {std::pair{0U, 1.0}, {1U, 9.0}, {2U, 6.0}}) {
    EXPECT_NEAR(one[1][j], ways / 16, 1e-15) << j;
  }
  const auto best = fewest_added(4, 1, 2, 1, 2)[1];
  EXPECT_NEAR(best[2], 36.0 / 256, 1e-15);
  EXPECT_NEAR(best[1], (225.0 - 36) / 256, 1e-15);
  EXPECT_NEAR(best[0], 31.0 / 256, 1e-15);
  EXPECT_NEAR(fewest_added(4, 1, 1, 2, 2)[2][1], best[1], 1e-15) << "in two groups of one";
}

TEST(choices, few_keys_refine_the_limit_of_many) {
  EXPECT_EQ(refined(0.5, 10, 0.3, 0.2, 10), 0.3);
  EXPECT_NEAR(refined(0.5, 100, 0.3, 0.2, 10), 0.5 * 1.05, 1e-15);
  EXPECT_EQ(in_proportion(1000, 100, 10), 100U);
  EXPECT_EQ(in_proportion(1000, 5, 10), 1000U);
}

}  // namespace
}  // namespace bloomery::math
