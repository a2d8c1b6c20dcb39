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

// The second moment of a binomial share, of few cells and of many.
TEST(over_fills, probes_may_meet) {
  for (const std::uint64_t m : {1U, 10U, 256U, 257U, 100'000U}) {
    for (const double fill : {0.0, 0.2, 0.5, 1.0}) {
      EXPECT_NEAR(over_fills(m, fill, [](double share) { return share * share; }),
                  fill * fill + fill * (1 - fill) / static_cast<double>(m), 1e-12)
          << m;
    }
  }
}

}  // namespace
}  // namespace bloomery::math
