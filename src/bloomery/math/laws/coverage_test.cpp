#include "bloomery/math/laws/coverage.hpp"

#include <cmath>
#include <numeric>

#include "testing.hpp"

namespace bloomery::math {
namespace {

// Inclusion and exclusion: P(u bins all hit) = Σ_j (-1)^j C(u,j) (1 - j/m)^balls, in long double.
long double all_hit(std::uint64_t m, std::uint64_t bins, std::uint64_t balls) {
  long double sum = 0;
  long double choose = 1;
  for (std::uint64_t j = 0; j <= bins; ++j) {
    const auto left = static_cast<long double>(m - j) / static_cast<long double>(m);
    sum += (j % 2 == 0 ? 1 : -1) * choose * std::pow(left, static_cast<long double>(balls));
    choose *= static_cast<long double>(bins - j) / static_cast<long double>(j + 1);
  }
  return sum;
}

TEST(cover_probabilities, agree_with_inclusion_and_exclusion) {
  for (const std::uint64_t m : {9U, 20U, 1000U}) {
    for (const std::uint64_t balls : {0U, 1U, 7U, 8U, 30U, 999U}) {
      const auto covered = cover_probabilities(m, 8, balls);
      ASSERT_EQ(covered.size(), 9U);
      for (std::uint64_t u = 0; u <= 8; ++u) {
        // The alternating sum loses up to 2^u digits against 1; the chain loses none.
        EXPECT_NEAR(covered[u], static_cast<double>(all_hit(m, u, balls)), 1e-16 * std::exp2(u))
            << m << ' ' << balls << ' ' << u;
      }
    }
  }
}

TEST(cover_probabilities, keep_their_digits_when_tiny) {
  // Three balls in three given bins of a million: 3!/m³, where an alternating sum has no digits.
  const auto covered = cover_probabilities(1'000'000, 4, 3);
  EXPECT_NEAR(covered[3], 6e-18, 6e-31);
  EXPECT_EQ(covered[4], 0) << "three balls cannot hit four bins";
}

TEST(coverage_chain, advances_alike_by_one_and_by_many) {
  for (const std::uint64_t m : {1U, 2U, 5U, 64U}) {
    coverage_chain slow(m, 6);
    for (std::uint64_t balls = 0; balls <= 40; ++balls) {
      coverage_chain fast(m, 6);
      fast.advance(balls);
      for (std::size_t u = 0; u <= 6; ++u) {
        EXPECT_NEAR(fast.untouched()[u], slow.untouched()[u], 1e-14) << m << ' ' << balls;
      }
      slow.advance_one();
    }
  }
}

TEST(cover_probability, is_what_the_chain_says) {
  for (const std::uint64_t k : {1U, 3U, 4U, 7U, 16U, 30U, 64U}) {
    for (const std::uint64_t n : {1U, 2U, 7U, 8U, 30U, 1000U, 10'000'000U}) {
      for (const double load : {0.05, 0.5, 0.7, 1.5, 30.0}) {
        const std::uint64_t balls = k * n;
        const auto m = static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(balls) / load));
        coverage_chain chain(m, k);
        chain.advance(balls);
        EXPECT_NEAR(cover_probability(m, k, balls) / chain.covered(), 1, 3e-14)
            << m << " bins, " << k << " and " << balls << " balls";
      }
    }
  }
}

TEST(coverage_chain, starts_from_the_distinct_bins_of_the_query) {
  const coverage_chain chain(4, 3);  // of 64 outcomes 4 fill one bin, 36 two, 24 three
  EXPECT_EQ(chain.untouched()[0], 0);
  EXPECT_DOUBLE_EQ(chain.untouched()[1], 4.0 / 64);
  EXPECT_DOUBLE_EQ(chain.untouched()[2], 36.0 / 64);
  EXPECT_DOUBLE_EQ(chain.untouched()[3], 24.0 / 64);
  const coverage_chain crowded(2, 60);
  const auto bins = crowded.untouched();
  EXPECT_NEAR(std::accumulate(bins.begin(), bins.end(), 0.0), 1, 1e-14);
  EXPECT_EQ(bins[3], 0) << "two bins hold no three";
}

}  // namespace
}  // namespace bloomery::math
