#include "bloomery/filters/frequency/adaptive.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/adaptive.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Tarkoma §III-K: never too low, in a filter crowded to 9 bits in 10.
TEST(adaptive, never_counts_too_low_below_the_cap) {
  adaptive_filter filter({.bits = 4000, .hashes = 4, .most = 50});
  std::map<digest, std::uint64_t> truth;
  const auto pool = numbered_digests(1, 300);
  for (std::uint64_t step = 0; step < 6000; ++step) {
    const digest d = pool[hash::mix(step) % (1 + hash::mix(~step) % pool.size())];
    filter.insert(d);
    ++truth[d];
    ASSERT_GE(filter.count(d), std::min<std::uint64_t>(truth[d], 50)) << "at " << step;
  }
  for (const auto& [key, count] : truth) {
    EXPECT_GE(filter.count(key), std::min<std::uint64_t>(count, 50));
    EXPECT_LE(filter.count(key), 50U);
  }
  EXPECT_GT(filter.fill(), 0.7);
}

// Every occurrence sets what the definition says: k bits, or the first zero that follows them.
TEST(adaptive, sets_the_bits_of_its_definition) {
  adaptive_filter filter({.bits = 1000, .hashes = 3, .most = 20});
  std::vector<bool> bits(1000, false);
  const auto probe = [](digest d, std::uint64_t j) {
    return hash::reduce(hash::mix(d.lo + j * (d.hi | 1)), 1000);
  };
  for (std::uint64_t step = 0; step < 1500; ++step) {
    const digest d = numbered_digest(2, hash::mix(step) % 60);
    bool fresh = false;
    for (std::uint64_t j = 0; j < 3; ++j) {
      fresh |= !bits[probe(d, j)];
      bits[probe(d, j)] = true;
    }
    for (std::uint64_t j = 3; !fresh && j < 3 + 19; ++j) {
      if (bits[probe(d, j)]) continue;
      bits[probe(d, j)] = true;
      break;
    }
    EXPECT_EQ(filter.insert(d), fresh);
    std::uint64_t run = 0;
    while (run < 19 && bits[probe(d, 3 + run)]) ++run;
    ASSERT_EQ(filter.count(d), run + 1);
  }
  const auto ones = static_cast<double>(std::count(bits.begin(), bits.end(), true));
  EXPECT_EQ(filter.fill(), ones / 1000);
}

// 100 filters half full, 800 keys each; the cap of 255 is never felt.
TEST(adaptive, overshoots_by_the_run_of_ones_that_is_predicted) {
  constexpr std::uint64_t filters = 100;
  constexpr std::uint64_t n = 800;
  sample over;
  for (std::uint64_t f = 0; f < filters; ++f) {
    adaptive_filter filter({.bits = 4617, .hashes = 4});
    const auto keys = numbered_digests(100 + f, n);
    filter.insert(keys);
    double excess = 0;
    for (const digest d : keys) excess += static_cast<double>(filter.count(d) - 1);
    over.add(excess / n - math::adaptive_overshoot(1, 0, filter.fill()));
  }
  EXPECT_TRUE(plausible_mean(over, 0));
}

// 100 filters, each with ten keys that come 20 times before 2,000 others half fill it, and ten that come
// as often after. With 16 hashes hardly any key is claimed when it comes first.
TEST(adaptive, each_repeat_overshoots_by_a_run_of_the_ones_of_its_time) {
  sample early_over;
  sample late_over;
  sample late_over_one_run;
  for (std::uint64_t f = 0; f < 100; ++f) {
    adaptive_filter filter({.bits = 46'170, .hashes = 16});
    const auto early = numbered_digests(300 + f, 10);
    const auto late = numbered_digests(300 + f, 10, 5000);
    const auto came = [&](std::span<const digest> keys) {
      const double before = filter.fill();
      for (int i = 0; i < 20; ++i) filter.insert(keys);
      return (before + filter.fill()) / 2;
    };
    const auto excess = [&](std::span<const digest> keys) {
      double sum = 0;
      for (const digest d : keys) sum += static_cast<double>(filter.count(d) - 20);
      return sum / static_cast<double>(keys.size());
    };
    const double when_early = came(early);
    filter.insert(numbered_digests(300 + f, 2000, 1000));
    const double when_late = came(late);
    const double now = filter.fill();
    early_over.add(excess(early) - math::adaptive_overshoot(20, when_early, now));
    late_over.add(excess(late) - math::adaptive_overshoot(20, when_late, now));
    late_over_one_run.add(excess(late) - math::adaptive_overshoot(1, 0, now));
  }
  EXPECT_TRUE(plausible_mean(early_over, 0));
  EXPECT_TRUE(plausible_mean(late_over, 0));
  EXPECT_FALSE(plausible_mean(late_over_one_run, 0));
}

TEST(adaptive, stops_at_the_cap_and_says_how_often) {
  adaptive_filter filter({.bits = 100'000, .hashes = 4, .most = 10});
  for (int i = 0; i < 10; ++i) filter.insert({1, 2});
  EXPECT_EQ(filter.count({1, 2}), 10U);
  EXPECT_EQ(filter.overflows(), 0U);
  const double before = filter.fill();
  for (int i = 0; i < 7; ++i) filter.insert({1, 2});
  EXPECT_EQ(filter.count({1, 2}), 10U);
  EXPECT_EQ(filter.overflows(), 7U);
  EXPECT_EQ(filter.fill(), before);
  EXPECT_EQ(wire::load<adaptive_filter>(wire::save(filter)).overflows(), 7U);
  adaptive_filter once({.bits = 1000, .hashes = 4, .most = 1});
  once.insert({1, 2});
  once.insert({1, 2});
  EXPECT_EQ(once.count({1, 2}), 1U);
  EXPECT_EQ(once.overflows(), 1U);
}

}  // namespace
}  // namespace bloomery::testing
