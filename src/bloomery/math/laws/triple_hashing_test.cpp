#include "bloomery/math/laws/triple_hashing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

std::vector<std::uint64_t> places_of(std::uint64_t x, std::uint64_t y, std::uint64_t z,
                                     std::uint64_t m, std::uint64_t k) {
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < k; ++i) {
    places.push_back((x + i * y + i * (i - (i == 0 ? 0 : 1)) / 2 * z) % m);
  }
  return places;
}

TEST(triple_hashing, shares_of_places_are_those_of_all_keys) {
  for (const std::uint64_t m : {1U, 2U, 7U, 8U, 24U, 36U}) {
    for (const std::uint64_t k : {1U, 2U, 7U, 12U}) {
      std::vector<double> expected(k + 1);
      for (std::uint64_t y = 0; y < m; ++y) {
        for (std::uint64_t z = 0; z < m; ++z) {
          const auto places = places_of(0, y, z, m, k);
          const std::size_t different = std::set(places.begin(), places.end()).size();
          expected[different] += 1 / static_cast<double>(m * m);
        }
      }
      const std::vector<double> shares = triple_places(m, k);
      ASSERT_EQ(shares.size(), k + 1);
      for (std::uint64_t d = 0; d <= k; ++d)
        EXPECT_NEAR(shares[d], expected[d], 1e-12) << m << " " << k;
    }
  }
}

// On either side of where counting ends, for a size with many divisors.
TEST(triple_hashing, shares_go_on_where_counting_ends) {
  constexpr std::uint64_t k = 7;
  const auto below = triple_places(37'440, k);
  const auto above = triple_places(2 * 37'440, k);
  for (const std::uint64_t m : {1'048'576U, 720'720U}) {  // where k·m is too much, a few large
    EXPECT_GT(triple_places(m, k)[1], 0);
  }
  for (std::uint64_t d = k - 3; d < k; ++d) EXPECT_NEAR(above[d] / below[d], 0.5, 0.002) << d;
  for (const auto& shares : {below, above, triple_places(100'000, 64)}) {
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9);
  }
}

// All x, y and z of a filter, one by one.
TEST(triple_hashing, a_small_filter_claims_what_it_claims) {
  std::mt19937_64 random(7);
  for (const std::uint64_t bytes : {1U, 3U, 4U, 9U}) {
    for (const std::uint64_t k : {1U, 3U, 7U}) {
      std::vector<std::byte> bits(bytes);
      for (std::byte& each : bits) each = static_cast<std::byte>(random() | random());
      const std::uint64_t m = 8 * bytes;
      std::uint64_t claimed = 0;
      for (std::uint64_t key = 0; key < m * m * m; ++key) {
        bool all = true;
        for (const std::uint64_t p : places_of(key % m, key / m % m, key / m / m, m, k)) {
          all = all && (bits[p / 8] >> p % 8 & std::byte{1}) != std::byte{0};
        }
        claimed += std::uint64_t{all};
      }
      EXPECT_NEAR(triple_instance_rate(bits, k),
                  static_cast<double>(claimed) / static_cast<double>(m * m * m), 1e-12);
    }
  }
  EXPECT_EQ(triple_instance_rate({}, 7), 0);
}

TEST(triple_hashing, a_large_filter_claims_as_its_fill_says) {
  std::mt19937_64 random(11);
  std::vector<std::byte> bits(2500);
  for (std::byte& each : bits) each = static_cast<std::byte>(random());
  const auto is_one = [&](std::uint64_t p) {
    return (bits[p / 8] >> p % 8 & std::byte{1}) != std::byte{0};
  };
  constexpr std::uint64_t trials = 200'000;
  std::uint64_t claimed = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const auto places =
        places_of(random() % 20'000, random() % 20'000, random() % 20'000, 20'000, 7);
    claimed += std::uint64_t{std::ranges::all_of(places, is_one)};
  }
  EXPECT_TRUE(testing::plausible_count(claimed, trials, triple_instance_rate(bits, 7)));
}

// Of 32 bits and three keys, as Automerge makes them: far above what free choices would claim.
TEST(triple_hashing, small_filters_claim_more_than_with_free_choices) {
  constexpr std::uint64_t m = 32;
  constexpr std::uint64_t k = 7;
  constexpr int filters = 300;
  std::mt19937_64 random(3);
  double sum = 0;
  for (int i = 0; i < filters; ++i) {
    std::vector<std::byte> bits(m / 8);
    for (int key = 0; key < 3; ++key) {
      for (const std::uint64_t p : places_of(random() % m, random() % m, random() % m, m, k)) {
        bits[p / 8] |= std::byte{1} << p % 8;
      }
    }
    sum += triple_instance_rate(bits, k);
  }
  const double mean = sum / filters;
  EXPECT_LT(std::abs(mean - triple_rate(m, 3, k)), 0.2 * std::abs(mean - exact_rate(m, 3, k)));
  EXPECT_NEAR(triple_rate(1'000'000, 100'000, 7) / exact_rate(1'000'000, 100'000, 7), 1, 1e-4);
}

}  // namespace
}  // namespace bloomery::math
