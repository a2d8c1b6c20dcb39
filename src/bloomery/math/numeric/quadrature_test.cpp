#include "bloomery/math/numeric/quadrature.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(quadrature, follows_polynomials_and_smooth_functions) {
  EXPECT_NEAR(integral(-1, 3, [](double x) { return std::pow(x, 19); }), (std::pow(3, 20) - 1) / 20,
              1e-5);
  EXPECT_NEAR(integral(0, 1, [](double x) { return std::exp(x); }), std::exp(1) - 1, 1e-14);
  EXPECT_EQ(integral(2, 2, [](double x) { return x; }), 0);
}

// Simpson's rule is exact to the third degree, and for a corner between two pairs of panels.
TEST(quadrature, simpson_follows_cubics_and_corners) {
  EXPECT_DOUBLE_EQ(simpson(-1, 3, 2, [](double x) { return x * x * x; }), 20);
  EXPECT_DOUBLE_EQ(simpson(-1, 1, 4, [](double x) { return std::abs(x); }), 1);
  EXPECT_EQ(simpson(2, 2, 8, [](double x) { return x; }), 0);
}

}  // namespace
}  // namespace bloomery::math
