#include "bloomery/filters/changing/blocked_counting.hpp"

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/blocked_counting.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "checked_filter.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Every answer against counters that are numbers, over a legal history: the cells are those of the
// live keys, so that a filter built from these alone is the same, byte for byte.
TEST(blocked_counting, is_the_filter_of_the_live_keys) {
  for (const std::uint64_t hashes : {1U, 6U, 8U, 11U, 16U}) {
    checked_filter filter(blocked_counting_filter({40, hashes, 4}));
    const auto pool = numbered_digests(1, 300);
    for (std::uint64_t step = 0; step < 6000; ++step) {
      const digest d = pool[hash::mix(step) % pool.size()];
      if (hash::mix(~step) % 2 == 0 && filter.copies(d) < 2) {
        filter.insert(d);
      } else if (filter.copies(d) > 0) {
        filter.erase(d);
      }
      if (step % 1000 != 999) continue;
      blocked_counting_filter rebuilt(filter.filter().shape());
      filter.each_member([&](digest key, std::uint64_t copies) {
        for (std::uint64_t i = 0; i < copies; ++i) rebuilt.insert(key);
      });
      ASSERT_EQ(filter.filter().overflows(), 0U);
      EXPECT_EQ(wire::save(filter.filter()), wire::save(rebuilt));
    }
  }
}

TEST(blocked_counting, full_counters_stick_and_are_reported) {
  blocked_counting_filter filter({5, 3, 2});
  const digest often{1, 2};
  for (int i = 0; i < 9; ++i) filter.insert(often);
  EXPECT_EQ(filter.count(often), 3U);
  EXPECT_EQ(filter.overflows(), 3U);
  EXPECT_FALSE(filter.erase(often));
  EXPECT_TRUE(filter.may_contain(often)) << "what lost count must not be cleared";
  EXPECT_EQ(filter.overflows(), 3U);
}

// Illegal: strangers that are certainly absent change nothing; false positives take from others.
TEST(blocked_counting, erasing_strangers_changes_nothing_unless_they_are_claimed) {
  expect_strangers_erased_only_if_claimed<blocked_counting_filter>();
}

TEST(blocked_counting, merging_adds_the_counters) {
  expect_merging_to_add<blocked_counting_filter>();
}

// 500,000 keys in two-bit counters: 8.4 million counters of which .3 % stick. They are nearly
// independent, so the count is as good as binomial.
TEST(blocked_counting, as_many_counters_stick_as_predicted) {
  constexpr std::uint64_t keys = 500'000;
  blocked_counting_filter filter({33'000, 6, 2});
  filter.insert(numbered_digests(7, keys));
  EXPECT_TRUE(plausible_count(filter.overflows(), std::uint64_t{33'000} * 256,
                              math::stuck_share(33'000, keys, 6, 2)));
}

TEST(blocked_counting, knows_its_rate_as_it_stands) {
  blocked_counting_filter filter({600, 11, 3});
  filter.insert(numbered_digests(8, 9000));
  constexpr std::uint64_t asked = 300'000;
  std::uint64_t hits = 0;
  for (const digest d : numbered_digests(8, asked, 9000)) {
    hits += std::uint64_t{filter.may_contain(d)};
  }
  EXPECT_TRUE(plausible_count(hits, asked, filter.current_rate()));
}

// What it is for: fewer bits than four-bit counters anywhere, at rates down to .1 %.
TEST(blocked_counting, takes_fewer_bits_than_counting) {
  for (const double rate : {0.02, 0.01, 0.001}) {
    const auto blocked = blocked_counting_filter::plan(1'000'000, rate);
    EXPECT_EQ(blocked.counter_bits, 3U);
    EXPECT_LT(blocked_counting_filter::payload_bytes(blocked),
              counting_filter::payload_bytes(counting_filter::plan(1'000'000, rate)));
  }
}

}  // namespace
}  // namespace bloomery::testing
