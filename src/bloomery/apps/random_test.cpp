#include "bloomery/apps/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::plausible_counts;
using testing::plausibly_uniform;

constexpr std::uint64_t draws = 1'000'000;

// Computed by another program from the definition of SplitMix64.
TEST(random_stream, is_the_same_on_every_machine) {
  random_stream random(42, 7);
  EXPECT_EQ(random(), 0xe0658b4d384c699aU);
  EXPECT_EQ(random(), 0x75d21f9a73205bd7U);
  EXPECT_EQ(random(), 0xe11059bbc5e4fa47U);
}

TEST(random_stream, draws_all_below_the_end_alike) {
  random_stream random(1);
  for (const std::uint64_t end : {1U, 2U, 7U, 100U}) {
    SCOPED_TRACE(end);
    std::vector<std::uint64_t> counts(end);
    for (std::uint64_t i = 0; i < draws; ++i) ++counts.at(random.below(end));
    if (end > 1) {
      EXPECT_TRUE(plausibly_uniform(counts));
    }
  }
  // Four products to three numbers: without rejection one of three would come twice as often.
  std::array<std::uint64_t, 3> counts{};
  for (std::uint64_t i = 0; i < draws; ++i) ++counts.at(random.below(std::uint64_t{3} << 62) % 3);
  EXPECT_TRUE(plausibly_uniform(counts));
}

TEST(random_stream, uniform_and_chance_are_even) {
  random_stream random(2);
  std::array<std::uint64_t, 64> counts{};
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    ++counts.at(static_cast<std::size_t>(random.uniform() * counts.size()));
    if (random.chance(0.003)) ++hits;
  }
  EXPECT_TRUE(plausibly_uniform(counts));
  EXPECT_TRUE(testing::plausible_count(hits, draws, 0.003));
}

// Bins of a quarter to 5, and all beyond.
TEST(random_stream, exponential_numbers_follow_their_law) {
  constexpr std::size_t bins = 20;
  random_stream random(3);
  std::array<std::uint64_t, bins + 1> counts{};
  for (std::uint64_t i = 0; i < draws; ++i) {
    const random_stream::gap gap = random.exponential();
    ++counts.at(std::min<std::uint64_t>(4 * gap.whole + (gap.fraction >> 62), bins));
  }
  std::array<double, bins + 1> expected{};
  for (std::size_t i = 0; i < bins; ++i) {
    expected.at(i) = std::exp(-static_cast<double>(i) / 4) * -std::expm1(-0.25);
  }
  expected.at(bins) = std::exp(-static_cast<double>(bins) / 4);
  EXPECT_TRUE(plausible_counts(counts, expected));
}

// Neighbouring streams of one seed share nothing: the xor of their numbers has every bit as often.
TEST(random_stream, streams_are_independent) {
  std::array<std::uint64_t, 64> ones{};
  random_stream a(4, 0);
  random_stream b(4, 1);
  constexpr std::uint64_t pairs = 100'000;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const std::uint64_t difference = a() ^ b();
    for (std::size_t bit = 0; bit < 64; ++bit) ones.at(bit) += difference >> bit & 1;
  }
  for (const std::uint64_t each : ones) EXPECT_TRUE(testing::plausible_count(each, pairs, 0.5));
}

}  // namespace
}  // namespace bloomery::apps
