#include "bloomery/filters/changing/counting.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Tarkoma §III-A: after any legal history the nonzero counters are the bits of the live set.
TEST(counting, is_the_standard_filter_of_the_live_keys) {
  auto filter = counting_filter::for_keys(500, 0.01);
  std::map<digest, std::uint64_t> live;
  const auto pool = numbered_digests(1, 400);
  for (std::uint64_t step = 0; step < 6000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    if (hash::mix(~step) % 2 == 0 && live[d] < 3) {
      filter.insert(d);
      ++live[d];
    } else if (live[d] > 0) {
      ASSERT_TRUE(filter.erase(d));
      --live[d];
    }
    if (step % 1000 != 999) continue;
    standard_filter rebuilt({filter.shape().counters, filter.shape().hashes});
    for (const auto& [key, copies] : live) {
      if (copies > 0) rebuilt.insert(key);
      EXPECT_GE(filter.count(key), copies);
    }
    EXPECT_EQ(filter.overflows(), 0U);
    EXPECT_EQ(filter.plain().cells().bits().count(), rebuilt.cells().bits().count());
    EXPECT_EQ(filter.plain().cells().bits().count_common(rebuilt.cells().bits()),
              rebuilt.cells().bits().count());
    EXPECT_EQ(filter.plain().record().items, filter.record().items);
  }
}

TEST(counting, inserting_and_erasing_restores_the_cells) {
  counting_filter filter({100, 9, 4});  // crowded, so that hashes repeat
  filter.insert(numbered_digests(2, 5));
  const auto before = wire::save(filter);
  const auto others = numbered_digests(3, 8);
  filter.insert(others);
  EXPECT_EQ(filter.erase(others), others.size());
  ASSERT_EQ(filter.overflows(), 0U);
  EXPECT_EQ(wire::save(filter), before);
}

TEST(counting, full_counters_stick_and_are_reported) {
  counting_filter filter({50, 3, 2});
  const digest often{1, 2};
  for (int i = 0; i < 9; ++i) filter.insert(often);
  EXPECT_EQ(filter.count(often), 3U);
  EXPECT_EQ(filter.overflows(), filter.cells().locate(often).size());
  EXPECT_FALSE(filter.erase(often));
  EXPECT_TRUE(filter.may_contain(often)) << "what lost count must not be cleared";
  EXPECT_EQ(filter.overflows(), filter.cells().locate(often).size());
}

// At half fill a counter reaches 16 with probability 7e-17, so narrower ones stand in for it.
// 200,000 counters, half of them zero; they are all but independent, so their counts are
// multinomial.
TEST(counting, counters_climb_as_predicted) {
  constexpr std::uint64_t m = 200'000;
  constexpr std::uint64_t keys = 27'726;
  constexpr std::uint64_t k = 5;
  counting_filter filter({m, k, 3});
  filter.insert(numbered_digests(7, keys));
  std::vector<std::uint64_t> seen(6);
  std::vector<double> expected;
  for (std::uint64_t j = 0; j < 5; ++j) {
    expected.push_back(math::counter_probability(m, k * keys, j));
  }
  expected.push_back(math::counter_tail(m, k * keys, 5));
  for (std::uint64_t i = 0; i < m; ++i) {
    ++seen[std::min<std::uint64_t>(5, filter.cells().counter(i))];
  }
  EXPECT_TRUE(plausible_counts(seen, expected));
  EXPECT_TRUE(plausible_count(filter.overflows(), m, math::counter_tail(m, k * keys, 7)));
}

// Tarkoma eq. 16: four bits suffice. No plan expects an overflow, whatever its size.
TEST(counting, four_bits_are_planned) {
  for (const double rate : {0.01, 0.001}) {
    const auto shape = counting_filter::plan(1'000'000, rate);
    EXPECT_EQ(shape.counter_bits, 4U);
    EXPECT_LT(math::overflow_probability(shape.counters, shape.hashes * 1'000'000, 4), 1e-8);
  }
}

// Illegal: strangers that are certainly absent change nothing; false positives take from others.
TEST(counting, erasing_strangers_changes_nothing_unless_they_are_claimed) {
  expect_strangers_erased_only_if_claimed<counting_filter>();
}

TEST(counting, merging_adds_the_counters) {
  expect_merging_to_add<counting_filter>();
}

}  // namespace
}  // namespace bloomery::testing
