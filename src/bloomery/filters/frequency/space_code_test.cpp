#include "bloomery/filters/frequency/space_code.hpp"

#include <cmath>
#include <vector>

#include "bloomery/math/kinds/space_code.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// l = 32 and hardly any noise; 2,000 keys for each count. Groups are full by the law of
// occupancy, to the tails; what is expected less than ten times is counted together.
TEST(space_code, groups_are_full_by_the_law_of_occupancy) {
  for (const std::uint64_t count : {10U, 20U, 40U, 110U}) {
    std::vector<std::uint64_t> seen(33);
    for (std::uint64_t f = 0; f < 100; ++f) {
      space_code_filter filter({.bits = 1'000'000, .hashes = 4, .groups = 32});
      const auto keys = numbered_digests(100 + f, 20);
      for (std::uint64_t i = 0; i < count; ++i) filter.insert(keys);
      for (const digest d : keys) ++seen[filter.cells().full_groups(d, 0)];
    }
    std::vector<std::uint64_t> counts(1);
    std::vector<double> expected(1);
    for (std::uint64_t full = 0; full <= 32; ++full) {
      const double p = math::full_groups_probability(32, full, count, 0);
      const bool is_rare = 2000 * p < 10;
      if (!is_rare) counts.push_back(0), expected.push_back(0);
      (is_rare ? counts.front() : counts.back()) += seen[full];
      (is_rare ? expected.front() : expected.back()) += p;
    }
    EXPECT_TRUE(plausible_counts(counts, expected)) << count;
  }
}

// The noise of 3,000 other keys is taken out: groups are full as the law with noise says, and not as
// it says without. 60 filters, 30 keys each.
TEST(space_code, noise_is_accounted_for) {
  sample over_law;
  sample over_silence;
  for (std::uint64_t f = 0; f < 60; ++f) {
    space_code_filter filter({.bits = 20'000, .hashes = 3, .groups = 16});
    filter.insert(numbered_digests(300 + f, 3000, 1000));
    const auto keys = numbered_digests(300 + f, 30);
    for (std::uint64_t i = 0; i < 12; ++i) filter.insert(keys);
    double full = 0;
    for (const digest d : keys) full += static_cast<double>(filter.cells().full_groups(d, 0)) / 30;
    over_law.add(full - math::expected_full_groups(16, 12, filter.cells().noise(0)));
    over_silence.add(full - math::expected_full_groups(16, 12, 0));
  }
  EXPECT_TRUE(plausible_mean(over_law, 0));
  EXPECT_FALSE(plausible_mean(over_silence, 0));
}

// 1,000 occurrences of each of 1,000 keys fill every group of the first resolution; the second and
// third see fewer. 20 filters, without noise to speak of.
TEST(space_code, resolutions_reach_beyond_the_first) {
  const space_code_shape shape{
      .bits = 500'000, .hashes = 3, .groups = 32, .resolutions = 3, .sampling = 16};
  double sum = 0;
  for (std::uint64_t f = 0; f < 20; ++f) {
    space_code_filter filter(shape);
    const auto keys = numbered_digests(400 + f, 50);
    for (std::uint64_t i = 0; i < 1000; ++i) filter.insert(keys);
    for (const digest d : keys) {
      EXPECT_EQ(filter.cells().full_groups(d, 0), 32U);
      const auto estimate = filter.cells().estimate_count(d);
      // Where the second is full too, and the third has taken next to nothing.
      EXPECT_TRUE(!estimate.at_least || filter.cells().full_groups(d, 1) == 32U);
      EXPECT_EQ(filter.count(d), static_cast<std::uint64_t>(std::llround(estimate.mean_value)));
      sum += estimate.mean_value;
    }
  }
  const math::count_moments each = math::mean_value_moments(32, 1000, 0, 3, 16);
  EXPECT_TRUE(plausible_value(sum / 1000, each.mean, std::sqrt(each.variance / 1000)));

  space_code_filter single({.bits = 100'000, .hashes = 3, .groups = 32});
  for (int i = 0; i < 1000; ++i) single.insert({1, 2});
  const auto estimate = single.cells().estimate_count({1, 2});
  EXPECT_TRUE(estimate.at_least);
  EXPECT_EQ(estimate.mean_value, math::mean_value_count(32, 32, single.cells().noise(0)));
}

// 50 occurrences of each of 50 keys in 20 filters fill all 16 groups of about half of them, of which the
// second resolution, one in 64, mostly sees nothing: those are not counted once.
TEST(space_code, full_groups_count_even_if_the_next_resolution_saw_nothing) {
  double sum = 0;
  std::uint64_t full = 0;
  for (std::uint64_t f = 0; f < 20; ++f) {
    space_code_filter filter(
        {.bits = 500'000, .hashes = 4, .groups = 16, .resolutions = 3, .sampling = 64});
    const auto keys = numbered_digests(600 + f, 50);
    for (std::uint64_t i = 0; i < 50; ++i) filter.insert(keys);
    for (const digest d : keys) {
      const auto estimate = filter.cells().estimate_count(d);
      sum += estimate.mean_value;
      if (filter.cells().full_groups(d, 0) != 16) continue;
      ++full;
      const double least = math::mean_value_count(16, 16, filter.cells().noise(0));
      EXPECT_GE(filter.count(d), static_cast<std::uint64_t>(std::llround(least)));
      EXPECT_GE(estimate.likeliest, least);
      EXPECT_EQ(filter.count_is_full(d), estimate.mean_value == least);
    }
  }
  EXPECT_TRUE(plausible_count(full, 1000, math::full_groups_probability(16, 16, 50, 0)));
  const math::count_moments each = math::mean_value_moments(16, 50, 0, 3, 64);
  EXPECT_TRUE(plausible_value(sum / 1000, each.mean, std::sqrt(each.variance / 1000)));
}

// 20 occurrences of each of 50 keys in 10 filters. Both estimates have the mean and the spread of
// the law, which is within a fortieth of the truth.
TEST(space_code, both_estimates_are_those_of_the_law) {
  constexpr std::uint64_t filters = 10;
  double mean_value = 0;
  double likeliest = 0;
  for (std::uint64_t f = 0; f < filters; ++f) {
    space_code_filter filter({.bits = 500'000, .hashes = 4, .groups = 32});
    const auto keys = numbered_digests(500 + f, 50);
    for (std::uint64_t i = 0; i < 20; ++i) filter.insert(keys);
    for (const digest d : keys) {
      const auto estimate = filter.cells().estimate_count(d);
      mean_value += estimate.mean_value;
      likeliest += estimate.likeliest;
    }
  }
  constexpr double size = 50 * filters;
  const math::count_moments each = math::mean_value_moments(32, 20, 0);
  EXPECT_TRUE(plausible_value(mean_value / size, each.mean, std::sqrt(each.variance / size)));
  double mean = 0;
  double square = 0;
  for (std::uint64_t full = 1; full <= 20; ++full) {
    const double p = math::full_groups_probability(32, full, 20, 0);
    const auto answer = static_cast<double>(math::likeliest_count(32, full, 0));
    mean += p * answer;
    square += p * answer * answer;
  }
  EXPECT_TRUE(plausible_value(likeliest / size, mean, std::sqrt((square - mean * mean) / size)));
}

}  // namespace
}  // namespace bloomery::testing
