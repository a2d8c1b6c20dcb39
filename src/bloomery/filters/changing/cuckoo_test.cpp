#include "bloomery/filters/changing/cuckoo.hpp"

#include <map>

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Every shape of bucket that the table searches differently, at the promised load.
TEST(cuckoo, no_key_is_lost_at_the_promised_load) {
  for (const cuckoo_shape& shape :
       {cuckoo_shape{5000, 4, 12}, {300, 2, 9}, {300, 4, 16}, {4098, 5, 13}, {1002, 8, 16}}) {
    const std::uint64_t keys = cuckoo_filter::capacity(shape);
    cuckoo_filter filter(shape);
    const auto inserted = numbered_digests(20 + shape.entries, keys);
    filter.insert(inserted);
    for (const digest d : inserted) ASSERT_TRUE(filter.may_contain(d));
    EXPECT_EQ(filter.erase(inserted), keys);
    EXPECT_EQ(wire::save(filter), wire::save(cuckoo_filter(shape)));
  }
}

// Ten thousand tables of ten keys, 16 and 200: none fails, where the bound allows 0.01 of them.
TEST(cuckoo, small_tables_hold_what_they_promise) {
  for (const std::uint64_t keys : {10U, 16U, 200U}) {
    const auto shape = cuckoo_filter::plan(keys, 0.01);
    for (std::uint64_t trial = 0; trial < (keys < 100 ? 10'000 : 1000); ++trial) {
      cuckoo_filter filter(shape);
      ASSERT_NO_THROW(filter.insert(numbered_digests(3000 + trial, keys))) << keys;
    }
  }
}

// Past its capacity it may refuse; until it does every key stays, and the refused one changes nothing.
TEST(cuckoo, a_refused_key_changes_nothing) {
  for (const cuckoo_shape& shape : {cuckoo_shape{64, 4, 12}, {40, 2, 20}, {10, 8, 16}}) {
    cuckoo_filter filter(shape);
    const auto keys = numbered_digests(21, 2 * shape.buckets * shape.entries);
    EXPECT_GE(expect_refusals_to_change_nothing(filter, keys), cuckoo_filter::capacity(shape));
  }
}

TEST(cuckoo, a_key_is_held_twice_its_entries_times_and_no_more) {
  cuckoo_filter filter({1000, 4, 12});
  const digest often{1, 2};
  for (std::uint64_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(filter.insert(often), i == 1);
    EXPECT_EQ(filter.count(often), i);
  }
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::limit, "8 copies of one", [&] { filter.insert(often); }));
  EXPECT_EQ(wire::save(filter), before);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(filter.erase(often));
  EXPECT_FALSE(filter.erase(often));
  EXPECT_EQ(wire::save(filter), wire::save(cuckoo_filter({1000, 4, 12})));
}

// A long legal history that keeps the table at its promised load.
TEST(cuckoo, no_false_negative_over_a_legal_history) {
  const cuckoo_shape shape{600, 4, 10};
  const std::uint64_t most = cuckoo_filter::capacity(shape);
  cuckoo_filter filter(shape);
  std::map<digest, std::uint64_t> live;
  std::uint64_t held = 0;
  const auto pool = numbered_digests(22, 3000);
  for (std::uint64_t step = 0; step < 60'000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    if (live[d] == 0 && held < most) {
      filter.insert(d);
      ++live[d];
      ++held;
    } else if (live[d] > 0) {
      ASSERT_TRUE(filter.erase(d));
      --live[d];
      --held;
    }
    if (step % 6000 != 5999) continue;
    for (const auto& [key, copies] : live) ASSERT_GE(filter.count(key), copies) << step;
  }
  EXPECT_GT(held, 1400U);
}

// Illegal: a stranger that is certainly absent changes nothing; a false positive takes one away.
TEST(cuckoo, erasing_strangers_changes_nothing_unless_they_are_claimed) {
  auto filter = cuckoo_filter::for_keys(300, 0.05);
  filter.insert(numbered_digests(23, 300));
  const auto before = wire::save(filter);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(24, 2000)) {
    const std::uint64_t copies = filter.count(d);
    cuckoo_filter trial = filter.copy();
    EXPECT_EQ(trial.erase(d), copies != 0);
    EXPECT_EQ(wire::save(trial) == before, copies == 0);
    if (copies == 0) continue;
    EXPECT_EQ(trial.count(d), copies - 1);
    ++claimed;
  }
  EXPECT_GT(claimed, 0U);
}

// Fan et al. 2014 at load .95: one filter of 62,259 keys for each, a million strangers.
TEST(cuckoo, rates_at_load_95_are_those_of_the_paper) {
  constexpr std::uint64_t buckets = 16'384;
  constexpr auto keys = static_cast<std::uint64_t>(0.95 * 4 * buckets);
  for (const std::uint64_t bits : {8U, 12U}) {
    const auto filter = large_filter<cuckoo_filter>({buckets, 4, bits}, keys);
    EXPECT_TRUE(large_rate_as_predicted(filter, keys, 1'000'000)) << bits;
  }
}

TEST(cuckoo, refuses_bad_shapes) {
  EXPECT_TRUE(throws_error(errc::invalid, "buckets is 7; allowed: even numbers", [] {
    cuckoo_filter({7, 4, 12});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "entries times fingerprint_bits is 160", [] {
    cuckoo_filter({8, 8, 20});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "entries is 9; allowed: 2 to 8", [] {
    cuckoo_filter({8, 9, 2});
  }));
  EXPECT_TRUE(throws_error(errc::limit, "buckets", [] { cuckoo_filter({max_bits, 4, 12}); }));
}

}  // namespace
}  // namespace bloomery::testing
