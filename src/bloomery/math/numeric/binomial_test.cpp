#include "bloomery/math/numeric/binomial.hpp"

#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(binomial, coefficients) {
  EXPECT_EQ(binomial(30, 15), 155'117'520U);
  EXPECT_EQ(binomial(4, 5), 0U);
  EXPECT_EQ(binomial(4, 0), 1U);
}

TEST(binomial, tails_agree) {
  EXPECT_NEAR(at_least_of(10, 8, 0.3), 0.00159039, 1e-8);
  for (const double p : {0.01, 0.3, 0.5, 0.9, 1.0}) {
    for (std::uint64_t hits = 0; hits <= 21; ++hits) {
      EXPECT_NEAR(at_least_of(20, hits, p), binomial_upper(hits, 20, p), 1e-12);
    }
  }
}

}  // namespace
}  // namespace bloomery::math
