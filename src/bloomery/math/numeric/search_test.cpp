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

// Lines, bends, cliffs and plateaus, from near and far: the first that fits, in as many questions as
// halving takes or fewer.
TEST(search, follows_the_line_of_a_rate) {
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  const auto expect = [&](const auto& rate_of, double rate, double guess, int questions) {
    int asked = 0;
    const auto found = smallest_within(guess, most, rate, [&](std::uint64_t x) {
      ++asked;
      return rate_of(static_cast<double>(x));
    });
    ASSERT_TRUE(found);
    EXPECT_LE(rate_of(static_cast<double>(*found)), rate);
    EXPECT_TRUE(*found == 1 || rate_of(static_cast<double>(*found - 1)) > rate);
    EXPECT_LE(asked, questions) << rate << " from " << guess;
  };
  const auto power = [](double x) { return std::pow(1000 / x, 7); };
  const auto filter = [](double x) { return std::pow(-std::expm1(-7e6 / x), 7); };
  const auto cliff = [](double x) { return x < 1.23e9 ? 1.0 : 1e-30; };
  for (const double rate : {0.5, 0.01, 1e-9}) {
    for (const double guess : {0.0, 1.0, 1000.0, 1e7, 1e12, 1e20}) {
      expect(power, rate, guess, 110);
      expect(filter, rate, guess, 110);
      expect(cliff, rate, guess, 110);
    }
    expect(power, rate, 900 * std::pow(rate, -1.0 / 7), 6);
    expect(filter, rate, -7e6 / std::log1p(-std::pow(rate, 1.0 / 7)) * 1.1, 10);
  }
  EXPECT_EQ(smallest_within(10, 100, 0.5, [](std::uint64_t) { return 1.0; }), std::nullopt);
  EXPECT_EQ(smallest_within(10, 100, 0.5, [](std::uint64_t) { return 0.0; }), 1U);
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
