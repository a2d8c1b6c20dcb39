#include "bloomery/filters/frequency/counter_braids.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/counter_braids.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Flow sizes with P(f > x) = x^-1.5.
std::vector<std::uint64_t> heavy_tailed(std::uint64_t stream, std::uint64_t flows) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < flows; ++i) {
    const double uniform =
        (static_cast<double>(hash::mix(hash::mix(stream) + i) >> 11) + 1) * 0x1p-53;
    sizes.push_back(static_cast<std::uint64_t>(std::ceil(std::pow(uniform, -1 / 1.5))) - 1);
    sizes.back() = std::clamp<std::uint64_t>(sizes.back(), 1, 1000);
  }
  return sizes;
}

counter_braids_filter braid_of(const counter_braids_shape& shape, std::span<const digest> keys,
                               std::span<const std::uint64_t> sizes) {
  counter_braids_filter braid(shape);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::uint64_t times = 0; times < sizes[i]; ++times) braid.insert(keys[i]);
  }
  return braid;
}

// The threshold for this law of sizes was found by simulation: all counts are exact at .72 counters
// a flow, and a fifth or more are wrong at .70. The bounds hold always (Lu et al. 2008).
TEST(counter_braids, decode_heavy_tailed_flows_above_the_threshold_and_not_below) {
  constexpr std::uint64_t flows = 20'000;
  const auto keys = numbered_digests(1, flows);
  const auto sizes = heavy_tailed(2, flows);
  for (const std::uint64_t percent : {72U, 70U}) {
    const auto braid = braid_of(
        {.counters = flows * percent / 100, .counter_bits = 24, .second = 10}, keys, sizes);
    const auto found = braid.cells().decode_bounds(keys);
    const decoded_counts counts = braid.decode(keys);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < flows; ++i) {
      ASSERT_LE(found.low[i], sizes[i]);
      ASSERT_GE(found.high[i], sizes[i]);
      wrong += std::uint64_t{counts.counts[i] != sizes[i]};
    }
    EXPECT_EQ(counts.uncertain == 0, percent == 72);
    EXPECT_LE(wrong, counts.uncertain);
    if (percent == 70) {
      EXPECT_GE(wrong, flows / 5);
    }
  }
}

// Narrow counters, so that most wrap and the second layer decides.
TEST(counter_braids, two_layers_count_exactly_what_one_wide_layer_does) {
  constexpr std::uint64_t flows = 1000;
  const auto keys = numbered_digests(3, flows);
  const auto sizes = heavy_tailed(4, flows);
  const auto braid = braid_of({.counters = 1500, .counter_bits = 3, .second = 1200}, keys, sizes);
  const decoded_counts counts = braid.decode(keys);
  EXPECT_EQ(counts.uncertain, 0U);
  EXPECT_EQ(counts.counts, sizes);
  const auto crowded = braid_of({.counters = 1500, .counter_bits = 3, .second = 60}, keys, sizes);
  const auto found = crowded.cells().decode_bounds(keys);
  for (std::size_t i = 0; i < flows; ++i) {
    ASSERT_LE(found.low[i], sizes[i]);
    ASSERT_GE(found.high[i], sizes[i]);
  }
  EXPECT_GT(crowded.decode(keys).uncertain, 0U) << "too small a second layer";
}

// No size is the least, so that decoding is peeling: 400 braids of 200 keys, planned for 5 %.
TEST(counter_braids, planned_braids_are_uncertain_no_more_often_than_promised) {
  constexpr std::uint64_t flows = 200;
  const auto shape = counter_braids_filter::plan(flows, 0.05);
  const std::vector<std::uint64_t> sizes(flows, 2);
  std::uint64_t uncertain = 0;
  constexpr std::uint64_t braids = 400;
  for (std::uint64_t b = 0; b < braids; ++b) {
    const auto keys = numbered_digests(100 + b, flows);
    uncertain += braid_of(shape, keys, sizes).decode(keys).uncertain;
  }
  const double share = static_cast<double>(uncertain) / (flows * braids);
  EXPECT_LE(share, counter_braids_filter::predicted_rate(shape, flows));
}

TEST(counter_braids, repeats_and_absent_keys_on_the_list_do_no_harm) {
  const auto keys = numbered_digests(5, 100);
  const std::vector<std::uint64_t> sizes(100, 7);
  const auto braid = braid_of({.counters = 1000, .second = 100}, keys, sizes);
  auto asked = keys;
  asked.insert(asked.end(), keys.begin(), keys.begin() + 10);
  std::uint64_t strangers = 0;
  for (const digest d : numbered_digests(6, 50)) {
    bool hidden = true;
    for (const std::uint64_t i : braid.cells().locate(d)) {
      bool used = false;
      for (const digest key : keys) used |= braid.cells().locate(key).contains(i);
      hidden &= used;
    }
    if (hidden) continue;
    asked.push_back(d);
    ++strangers;
  }
  ASSERT_GT(strangers, 40U);
  const decoded_counts counts = braid.decode(asked);
  EXPECT_EQ(counts.uncertain, 0U);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(counts.counts[i], i < 110 ? 7U : 0U);
  }
  EXPECT_EQ(braid.decode({}).counts.size(), 0U);
}

// One key that did not occur but shows no empty counter, or one that the list lacks: whatever is said
// to be certain is right, and the counts of those that share its counters are not.
TEST(counter_braids, certify_nothing_wrong_of_a_wrong_list) {
  const auto keys = numbered_digests(15, 300);
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < keys.size(); ++i) sizes.push_back(2 + hash::mix(i) % 7);
  const auto shape = counter_braids_filter::plan(300, 0.01);
  const auto braid = braid_of(shape, keys, sizes);
  ASSERT_EQ(braid.decode(keys).uncertain, 0U);
  const auto bounded = [&](const std::vector<digest>& list) {
    const auto found = braid.cells().decode_bounds(list);
    for (std::size_t i = 0; i < std::min(list.size(), keys.size()); ++i) {
      ASSERT_LE(found.low[i], sizes[i]);
      ASSERT_GE(found.high[i], sizes[i]);
    }
    EXPECT_GT(braid.decode(list).uncertain, 0U);
  };
  std::uint64_t hidden = 0;
  for (const digest d : numbered_digests(16, 500)) {
    auto list = keys;
    list.push_back(d);
    if (braid.decode(list).counts.back() == 0) continue;
    ++hidden;
    bounded(list);
  }
  EXPECT_GT(hidden, 10U);
  for (std::size_t few = 250; few < 300; ++few) {
    bounded({keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(few)});
  }
}

TEST(counter_braids, merging_is_counting_both_streams) {
  const counter_braids_shape shape{.counters = 400, .counter_bits = 2, .second = 300};
  const auto keys = numbered_digests(7, 200);
  const auto one_sizes = heavy_tailed(8, 200);
  const auto two_sizes = heavy_tailed(9, 200);
  auto one = braid_of(shape, keys, one_sizes);
  const auto two = braid_of(shape, keys, two_sizes);
  std::vector<std::uint64_t> sums;
  for (std::size_t i = 0; i < 200; ++i) sums.push_back(one_sizes[i] + two_sizes[i]);
  one.merge(two);
  EXPECT_EQ(wire::save(one), wire::save(braid_of(shape, keys, sums)));
}

}  // namespace
}  // namespace bloomery::testing
