#include "bloomery/filters/changing/sorted_cuckoo.hpp"

#include <map>
#include <memory>
#include <vector>

#include "bloomery/filters/changing/cuckoo.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Fingerprints of whole and half bytes a bucket, of one word and two, at the promised load.
TEST(sorted_cuckoo, no_key_is_lost_at_the_promised_load) {
  for (const sorted_cuckoo_shape& shape :
       {sorted_cuckoo_shape{5000, 13}, {300, 9}, {300, 16}, {4098, 12}, {1002, 17}, {500, 32}}) {
    const std::uint64_t keys = sorted_cuckoo_filter::capacity(shape);
    sorted_cuckoo_filter filter(shape);
    const auto inserted = numbered_digests(20 + shape.fingerprint_bits, keys);
    filter.insert(inserted);
    for (const digest d : inserted) ASSERT_TRUE(filter.may_contain(d));
    EXPECT_EQ(filter.erase(inserted), keys);
    EXPECT_EQ(wire::save(filter), wire::save(sorted_cuckoo_filter(shape)));
  }
}

// Ten thousand tables of ten keys, 16 and 200: none fails, where the bound allows 0.01 of them.
TEST(sorted_cuckoo, small_tables_hold_what_they_promise) {
  for (const std::uint64_t keys : {10U, 16U, 200U}) {
    const auto shape = sorted_cuckoo_filter::plan(keys, 0.01);
    for (std::uint64_t trial = 0; trial < (keys < 100 ? 10'000 : 1000); ++trial) {
      sorted_cuckoo_filter filter(shape);
      ASSERT_NO_THROW(filter.insert(numbered_digests(3000 + trial, keys))) << keys;
    }
  }
}

// Past its capacity it may refuse; until it does every key stays, and the refused one changes nothing.
TEST(sorted_cuckoo, a_refused_key_changes_nothing) {
  for (const sorted_cuckoo_shape& shape : {sorted_cuckoo_shape{64, 12}, {40, 20}, {10, 16}}) {
    sorted_cuckoo_filter filter(shape);
    const auto keys = numbered_digests(21, 8 * shape.buckets);
    EXPECT_GE(expect_refusals_to_change_nothing(filter, keys),
              sorted_cuckoo_filter::capacity(shape));
  }
}

TEST(sorted_cuckoo, a_key_is_held_eight_times_and_no_more) {
  sorted_cuckoo_filter filter({1000, 12});
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
  EXPECT_EQ(wire::save(filter), wire::save(sorted_cuckoo_filter({1000, 12})));
}

// A long legal history that keeps the table at its promised load.
TEST(sorted_cuckoo, no_false_negative_over_a_legal_history) {
  const sorted_cuckoo_shape shape{600, 10};
  const std::uint64_t most = sorted_cuckoo_filter::capacity(shape);
  sorted_cuckoo_filter filter(shape);
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
TEST(sorted_cuckoo, erasing_strangers_changes_nothing_unless_they_are_claimed) {
  auto filter = sorted_cuckoo_filter::for_keys(300, 0.05);
  filter.insert(numbered_digests(23, 300));
  const auto before = wire::save(filter);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(24, 2000)) {
    const std::uint64_t copies = filter.count(d);
    sorted_cuckoo_filter trial = filter.copy();
    EXPECT_EQ(trial.erase(d), copies != 0);
    EXPECT_EQ(wire::save(trial) == before, copies == 0);
    if (copies == 0) continue;
    EXPECT_EQ(trial.count(d), copies - 1);
    ++claimed;
  }
  EXPECT_GT(claimed, 0U);
}

// At load .95, where a cuckoo filter of as many bits has twice the rate: one filter of 62,259 keys for
// each, a million strangers.
TEST(sorted_cuckoo, rates_at_load_95_are_those_predicted) {
  constexpr std::uint64_t buckets = 16'384;
  constexpr auto keys = static_cast<std::uint64_t>(0.95 * 4 * buckets);
  for (const std::uint64_t bits : {9U, 13U}) {
    const auto filter = large_filter<sorted_cuckoo_filter>({buckets, bits}, keys);
    EXPECT_TRUE(large_rate_as_predicted(filter, keys, 1'000'000)) << bits;
  }
}

// What a bucket holds is what the cuckoo filter of the same fingerprints would, wherever it moved.
TEST(sorted_cuckoo, answers_as_the_filter_that_is_not_sorted) {
  sorted_cuckoo_filter sorted({1000, 11});
  cuckoo_filter plain({1000, 4, 11});
  const auto keys = numbered_digests(26, 3700);
  EXPECT_EQ(sorted.insert(keys), plain.insert(keys));
  const auto asked = numbered_digests(26, 200'000);
  const auto answers = std::make_unique<bool[]>(asked.size());
  sorted.may_contain(asked, std::span(answers.get(), asked.size()));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(answers[i], plain.may_contain(asked[i])) << i;
    ASSERT_EQ(sorted.count(asked[i]), plain.count(asked[i])) << i;
  }
}

// Integers are hashed on the way, and leave the same cells.
TEST(sorted_cuckoo, takes_integers_unhashed) {
  std::vector<std::uint64_t> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = hash::mix(i);
  const integer_span integers(integer_hash{}, numbers);
  sorted_cuckoo_filter by_integer({1000, 13});
  sorted_cuckoo_filter by_digest({1000, 13});
  by_integer.insert(integers);
  for (const std::uint64_t number : numbers) by_digest.insert(integer_hash{}(number));
  EXPECT_EQ(wire::save(by_integer), wire::save(by_digest));
  const auto answers = std::make_unique<bool[]>(numbers.size());
  EXPECT_EQ(by_integer.may_contain(integers, std::span(answers.get(), numbers.size())), 3000U);
}

TEST(sorted_cuckoo, refuses_bad_shapes) {
  EXPECT_TRUE(throws_error(errc::invalid, "buckets is 7; allowed: even numbers", [] {
    sorted_cuckoo_filter({7, 12});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "fingerprint_bits is 4; allowed: 5 to 32", [] {
    sorted_cuckoo_filter({8, 4});
  }));
  EXPECT_TRUE(throws_error(errc::limit, "buckets", [] { sorted_cuckoo_filter({max_bits, 12}); }));
}

}  // namespace
}  // namespace bloomery::testing
