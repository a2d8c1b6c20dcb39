#include "bloomery/filters/changing/dleft.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Narrow and wide buckets, few and many tables, short remainders that keys share: while no counter is
// stuck the filter counts exactly the keys of one bucket and remainder, through any legal history.
TEST(dleft, counts_exactly_the_keys_of_one_hash) {
  for (const dleft_shape& shape : {dleft_shape{4, 40, 8, 12, 4},
                                   {2, 50, 7, 4, 4},
                                   {3, 30, 10, 8, 4},
                                   {8, 7, 16, 4, 4},
                                   {3, 40, 8, 9, 4}}) {
    dleft_filter filter(shape);
    std::map<digest, std::uint64_t> live;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> oracle;
    const auto hash_of = [&](digest d) {
      return std::pair(hash::reduce(d.lo, shape.buckets),
                       hash::reduce(d.hi, (std::uint64_t{1} << shape.remainder_bits) - 1));
    };
    const auto pool = numbered_digests(30, 400);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      const digest d = pool[hash::mix(step) % pool.size()];
      std::uint64_t& copies = oracle[hash_of(d)];
      if (hash::mix(~step) % 2 == 0 && live[d] < 2 && copies < 14) {
        EXPECT_EQ(filter.insert(d), copies == 0);
        ++live[d];
        ++copies;
      } else if (live[d] > 0) {
        ASSERT_TRUE(filter.erase(d));
        --live[d];
        --copies;
      }
      ASSERT_EQ(filter.count(d), copies) << step;
      if (step % 4000 != 3999) continue;
      for (const digest key : pool) ASSERT_EQ(filter.count(key), oracle[hash_of(key)]);
      for (const digest key : numbered_digests(31, 1000)) {
        const auto known = oracle.find(hash_of(key));
        ASSERT_EQ(filter.count(key), known == oracle.end() ? 0 : known->second);
      }
      EXPECT_NO_THROW((void)wire::load<dleft_filter>(wire::save(filter)));
    }
    EXPECT_EQ(filter.overflows(), 0U);
    for (const auto& [key, copies] : live) {
      for (std::uint64_t i = 0; i < copies; ++i) EXPECT_TRUE(filter.erase(key));
    }
    EXPECT_EQ(wire::save(filter), wire::save(dleft_filter(shape)));
  }
}

// The page's figures, bits a key for a million keys; and what it is for: half of a counting filter's, or
// little more. Tables are added as the rate falls.
TEST(dleft, plans_take_half_the_bits_of_counters) {
  struct figure {
    double rate;
    double bits;
    std::uint64_t tables;
  };
  for (const figure& expected :
       {figure{0.01, 19.5, 3}, {0.001, 23.7, 3}, {1e-5, 36.2, 4}, {1e-9, 61.2, 5}}) {
    const dleft_shape shape = dleft_filter::plan(1'000'000, expected.rate);
    const auto bits_a_key = [](std::uint64_t bytes) {
      return 8 * static_cast<double>(bytes) / 1e6;
    };
    const double bits = bits_a_key(dleft_filter::payload_bytes(shape));
    const double counting =
        bits_a_key(counting_filter::payload_bytes(counting_filter::plan(1'000'000, expected.rate)));
    EXPECT_NEAR(bits, expected.bits, 0.06) << expected.rate;
    EXPECT_LT(1.95 * bits, counting) << expected.rate;
    EXPECT_EQ(shape.tables, expected.tables) << expected.rate;
  }
}

TEST(dleft, full_counters_stick_and_are_reported) {
  dleft_filter filter({4, 10, 8, 14, 2});
  const digest often{1, 2};
  for (int i = 0; i < 9; ++i) filter.insert(often);
  EXPECT_EQ(filter.count(often), 3U);
  EXPECT_EQ(filter.overflows(), 1U);
  EXPECT_FALSE(filter.erase(often));
  EXPECT_TRUE(filter.may_contain(often)) << "what lost count must not be cleared";
  EXPECT_EQ(filter.overflows(), 1U);
}

TEST(dleft, ties_go_to_the_left) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    dleft_filter filter({4, 64, 8, 14, 2});  // 16 lines a table
    filter.insert(numbered_digest(33, i));
    const byte_view cells = filter.payload().back();
    const auto held =
        std::find_if(cells.begin(), cells.end(), [](std::byte b) { return b != std::byte{}; });
    EXPECT_LT(held - cells.begin(), 1024) << "in the first table";
  }
}

TEST(dleft, a_refused_key_changes_nothing) {
  const dleft_shape shape{4, 5, 6, 14, 2};
  dleft_filter filter(shape);
  EXPECT_GE(expect_refusals_to_change_nothing(filter, numbered_digests(32, 300)),
            dleft_filter::capacity(shape));
}

// Ten thousand small tables, filled to their capacity: none fails.
TEST(dleft, small_tables_hold_what_they_promise) {
  for (const std::uint64_t buckets : {2U, 5U}) {
    const dleft_shape shape{4, buckets, 8, 14, 2};
    const std::uint64_t keys = dleft_filter::capacity(shape);
    for (std::uint64_t trial = 0; trial < 10'000; ++trial) {
      dleft_filter filter(shape);
      ASSERT_NO_THROW(filter.insert(numbered_digests(3000 + trial, keys))) << keys;
    }
  }
}

// The example of Bonomi et al. 2006, 4 tables of 2048 buckets of 8 cells, 49152 keys; and three
// with short remainders, as plans have it for 1 %. After each was replaced five times the loads are
// those of the steady state. Buckets keep each other's loads down, so that counts of them spread no
// more than independent ones would.
TEST(dleft, loads_and_rate_are_those_of_the_paper) {
  for (const dleft_shape& shape : {dleft_shape{4, 2048, 8, 14, 2}, {3, 2048, 8, 11, 4}}) {
    const std::uint64_t buckets = shape.tables * shape.buckets;
    const std::uint64_t keys = 6 * buckets;
    dleft_filter filter(shape);
    auto live = numbered_digests(33, keys);
    filter.insert(live);
    for (std::uint64_t step = 0; step < 5 * keys; ++step) {
      digest& old = live[hash::reduce(hash::mix(step), keys)];
      ASSERT_TRUE(filter.count_is_full(old) || filter.erase(old));
      old = numbered_digest(34, step);
      filter.insert(old);
    }
    for (const digest d : live) ASSERT_TRUE(filter.may_contain(d));
    const auto loads = filter.cells().loads();
    // Keys of one hash share a cell.
    const double hashes = static_cast<double>((std::uint64_t{1} << shape.remainder_bits) - 1);
    const double claims = math::dleft_rate(shape.size(), keys);
    const auto expected = math::dleft_loads(shape.tables, hashes * claims, 8, math::history::churn);
    for (const std::uint64_t least : {7U, 8U}) {
      const std::uint64_t found = least == 7 ? loads[7] + loads[8] : loads[8];
      const double mean = static_cast<double>(buckets) * expected[least];
      EXPECT_TRUE(plausible_value(static_cast<double>(found), mean,
                                  std::sqrt(mean * (1 - expected[least]))))
          << least;
    }
    std::uint64_t claimed = 0;
    for (const digest d : numbered_digests(35, 300'000))
      claimed += std::uint64_t{filter.may_contain(d)};
    EXPECT_TRUE(plausible_count(claimed, 300'000, claims));
  }
}

TEST(dleft, refuses_bad_shapes_and_gaps) {
  EXPECT_TRUE(throws_error(errc::invalid, "cells times remainder_bits and counter_bits is 144", [] {
    dleft_filter({4, 10, 9, 14, 2});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "tables is 9", [] { dleft_filter({9, 10, 4, 14, 2}); }));
  const dleft_shape shape{2, 2, 4, 6, 2};
  for (const std::size_t byte : {1U, 5U, 15U}) {  // cells are bytes: a remainder past the first
    storage gap = storage::allocate(dleft_filter::payload_bytes(shape));
    gap.bytes_for_writing()[byte] = std::byte{5};
    EXPECT_TRUE(throws_error(errc::corrupt, "unused cells",
                             [&] { (void)dleft_filter::restore(shape, {}, std::move(gap)); }));
  }
  for (const auto half :
       {std::byte{4}, std::byte{1}}) {  // a remainder not counted, and none counted
    storage dirty = storage::allocate(dleft_filter::payload_bytes(shape));
    dirty.bytes_for_writing()[0] = half;
    EXPECT_TRUE(throws_error(errc::corrupt, "half used",
                             [&] { (void)dleft_filter::restore(shape, {}, std::move(dirty)); }));
  }
}

}  // namespace
}  // namespace bloomery::testing
