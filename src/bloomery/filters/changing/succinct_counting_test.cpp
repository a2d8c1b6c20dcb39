#include "bloomery/filters/changing/succinct_counting.hpp"

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/succinct_counting.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "checked_filter.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Every answer against counters that are numbers, over a legal history: the cells are those of the live
// keys, so that a filter built from these alone is the same, byte for byte, and the plain one of them is a
// blocked filter. Lines hold twice the keys that fit at home, so that many spill.
TEST(succinct_counting, is_the_filter_of_the_live_keys) {
  for (const std::uint64_t hashes : {1U, 6U, 8U, 11U, 16U}) {
    checked_filter filter(succinct_counting_filter({3, hashes, 40}));
    const auto pool = numbered_digests(1, 400);
    for (std::uint64_t step = 0; step < 6000; ++step) {
      const digest d = pool[hash::mix(step) % pool.size()];
      if (hash::mix(~step) % 2 == 0 && filter.copies(d) < 2) {
        filter.insert(d);
      } else if (filter.copies(d) > 0) {
        filter.erase(d);
      }
      if (step % 1000 != 999) continue;
      succinct_counting_filter rebuilt(filter.filter().shape());
      blocked_filter plain({3, hashes});
      filter.each_member([&](digest key, std::uint64_t copies) {
        for (std::uint64_t i = 0; i < copies; ++i) {
          rebuilt.insert(key);
          plain.insert(key);
        }
      });
      ASSERT_EQ(filter.filter().overflows(), 0U);
      EXPECT_EQ(wire::save(filter.filter()), wire::save(rebuilt));
      EXPECT_EQ(wire::save(filter.filter().plain()), wire::save(plain));
    }
  }
}

TEST(succinct_counting, full_counters_stick_and_are_reported) {
  succinct_counting_filter filter({5, 3, 4});
  const digest often{1, 2};
  for (int i = 0; i < 200; ++i) filter.insert(often);
  EXPECT_EQ(filter.count(often), 127U);
  EXPECT_TRUE(filter.count_is_full(often));
  EXPECT_EQ(filter.overflows(), 3U);
  EXPECT_FALSE(filter.erase(often));
  EXPECT_TRUE(filter.may_contain(often)) << "what lost count must not be cleared";
}

// Four times the keys it was planned for, and then half of them erased: lines freeze, and none is missed.
TEST(succinct_counting, misses_nothing_when_nothing_is_left_to_spill_to) {
  const auto shape = succinct_counting_filter::plan(1000, 0.01);
  succinct_counting_filter filter(shape);
  const auto keys = numbered_digests(3, 4000);
  filter.insert(keys);
  EXPECT_GT(filter.overflows(), 1000U);
  filter.erase(digest_span(keys).first(2000));
  for (std::size_t i = 2000; i < keys.size(); ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
}

TEST(succinct_counting, erasing_strangers_changes_nothing_unless_they_are_claimed) {
  expect_strangers_erased_only_if_claimed<succinct_counting_filter>();
}

TEST(succinct_counting, merging_adds_the_counters) {
  expect_merging_to_add<succinct_counting_filter>();
}

// 8 hashes, so that a line spills exactly when it holds more than 63 keys. Loads are negatively associated, so that
// the count varies no more than a binomial one.
TEST(succinct_counting, as_many_lines_spill_as_predicted) {
  constexpr std::uint64_t keys = 1'000'000;
  constexpr std::uint64_t blocks = 20'000;
  bits::unary_lines lines(blocks, blocks);
  const hash::line_pattern pattern(8);
  bits::unary_kernels_for(pattern).digests.raise(pattern, lines, numbered_digests(7, keys),
                                                 nullptr);
  EXPECT_TRUE(plausible_count(lines.spilled_lines(), blocks,
                              math::longer_share(blocks, keys, 8, bits::unary_lines::home_bits)));
}

TEST(succinct_counting, knows_its_rate_as_it_stands) {
  succinct_counting_filter filter({300, 11, 100});
  filter.insert(numbered_digests(8, 9000));
  constexpr std::uint64_t asked = 300'000;
  std::uint64_t hits = 0;
  for (const digest d : numbered_digests(8, asked, 9000)) {
    hits += std::uint64_t{filter.may_contain(d)};
  }
  EXPECT_TRUE(plausible_count(hits, asked, filter.current_rate()));
}

// What it is for.
TEST(succinct_counting, takes_little_more_than_half_the_bits_of_counting) {
  for (const double rate : {0.02, 0.01, 0.001}) {
    const auto succinct = succinct_counting_filter::plan(1'000'000, rate);
    EXPECT_LT(succinct_counting_filter::payload_bytes(succinct) * 20,
              counting_filter::payload_bytes(counting_filter::plan(1'000'000, rate)) * 11);
  }
}

}  // namespace
}  // namespace bloomery::testing
