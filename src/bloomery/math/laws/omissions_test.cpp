#include "bloomery/math/laws/omissions.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Two states in one bit or two: the second is lost if all of its bits are among those of the first.
TEST(omissions, small_cases_are_exact) {
  EXPECT_EQ(search_omissions(1, 1, 0, 1).expected, 0);
  EXPECT_EQ(search_omissions(1, 1, 2, 1).expected, 1);
  EXPECT_DOUBLE_EQ(search_omissions(2, 1, 2, 1).expected, 0.5);
  EXPECT_DOUBLE_EQ(search_omissions(2, 2, 2, 1).expected, exact_rate(2, 1, 2));
  EXPECT_DOUBLE_EQ(search_omissions(100, 3, 3, 1).expected,
                   exact_rate(100, 1, 3) + exact_rate(100, 2, 3));
}

// 4,000 searches that skip what is claimed, in a filter so small that a quarter is lost.
TEST(omissions, a_search_loses_as_many) {
  constexpr std::uint64_t bits = 64;
  constexpr std::uint64_t hashes = 3;
  constexpr std::uint64_t states = 40;
  constexpr int searches = 4000;
  std::mt19937_64 random(1);
  double sum = 0;
  double squares = 0;
  for (int search = 0; search < searches; ++search) {
    std::vector<bool> set(bits);
    double lost = 0;
    for (std::uint64_t state = 0; state < states; ++state) {
      bool known = true;
      for (std::uint64_t i = 0; i < hashes; ++i) {
        const std::uint64_t at = random() % bits;
        known = known && set[at];
        set[at] = true;
      }
      lost += known ? 1 : 0;
    }
    sum += lost;
    squares += lost * lost;
  }
  const double mean = sum / searches;
  const double deviation = std::sqrt((squares / searches - mean * mean) / searches);
  EXPECT_NEAR(mean, search_omissions(bits, hashes, states, 4).expected,
              deviation * student_deviation(searches - 1, 1 - testing::significance));
  EXPECT_GT(mean, states / 5.0);
}

TEST(omissions, both_ways_to_the_rate_agree) {
  const double exact = search_omissions((1 << 16) - 1, 4, 5000, 1).expected;
  EXPECT_NEAR(search_omissions(1 << 16, 4, 5000, 1).expected / exact, 1, 1e-4);
}

TEST(omissions, what_lies_behind_lost_states_is_hidden) {
  // One predecessor each, and a filter that claims everything after the first: all else is hidden.
  EXPECT_EQ(search_omissions(1, 1, 100, 1).hidden, 100);
  const auto lost = search_omissions(1 << 12, 4, 512, 3);
  const double rate = exact_rate(1 << 12, 511, 4);
  EXPECT_GE(lost.hidden, 512 * std::pow(rate, 3));
  EXPECT_LT(lost.hidden, 513 * std::pow(rate, 3));
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "predecessors", [] { search_omissions(64, 3, 10, 0); }));
}

}  // namespace
}  // namespace bloomery::math
