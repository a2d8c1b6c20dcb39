#include "bloomery/math/numeric/search.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(search, finds_the_smallest_from_any_guess) {
  for (const std::uint64_t answer : {1U, 2U, 99U, 5000U, 100'000U}) {
    for (const double guess : {0.0, 1.0, 98.0, 100.0, 5e4, 1e5, 1e30}) {
      EXPECT_EQ(smallest(guess, 100'000, [&](std::uint64_t x) { return x >= answer; }), answer);
    }
  }
  EXPECT_FALSE(smallest(7, 1000, [](std::uint64_t) { return false; }));
}

TEST(search, finds_either_side_of_a_border) {
  for (const std::uint64_t last : {0U, 1U, 2U, 500U, 998U, 999U}) {
    const auto fits = [&](std::uint64_t x) { return x <= last; };
    EXPECT_EQ(largest_below(1000, fits), last);
    EXPECT_EQ(smallest_in(0, 1000, [&](std::uint64_t x) { return !fits(x); }), last + 1);
  }
  // Within a hundredth, and no less than is enough.
  const auto roughly = smallest_in(
      0, 100'000, [](std::uint64_t x) { return x >= 5000; }, 100);
  EXPECT_GE(roughly, 5000U);
  EXPECT_LE(roughly - 5000, roughly / 100);
}

TEST(search, halves_down_to_neighbours_or_as_told) {
  const auto small = [](double x) { return x * x < 2; };
  const bracket root = border(0, 2, small);
  EXPECT_EQ(std::nextafter(root.low, 2), root.high);
  EXPECT_TRUE(small(root.low) && !small(root.high));
  const bracket close = border(0, 2, small, 0.25);
  EXPECT_EQ(close.high - close.low, 0.25);
  const bracket few = border(0, 2, small, 0, 5);
  EXPECT_EQ(few.high - few.low, std::ldexp(2, -5));
}

}  // namespace
}  // namespace bloomery::math
