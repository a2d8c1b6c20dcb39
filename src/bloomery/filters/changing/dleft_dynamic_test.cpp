#include "bloomery/filters/changing/dleft_dynamic.hpp"

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "checked_filter.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Crowded buckets, whose remainders are cut short and grow alike: through a long legal history no key
// is missed and every key can be erased. When all are gone, nothing is left over.
TEST(dleft_dynamic, no_false_negative_over_a_legal_history) {
  for (const dleft_dynamic_shape& shape :
       {dleft_dynamic_shape{3, 60, 64, 15}, {2, 60, 96, 15}, {4, 80, 32, 7}, {3, 20, 128, 15}}) {
    checked_filter filter{dleft_dynamic_filter(shape)};
    const auto pool = numbered_digests(40, 1200);
    for (std::uint64_t step = 0; step < 30'000; ++step) {
      const digest d = pool[hash::mix(step) % pool.size()];
      if (filter.copies(d) < 2 && filter.held() < 450 && hash::mix(~step) % 2 == 0) {
        filter.insert(d);
      } else if (filter.copies(d) > 0) {
        const auto copies = filter.filter().count(d);
        ASSERT_TRUE(filter.erase(d));
        ASSERT_EQ(filter.filter().count(d), copies - 1);
      }
      if (step % 3000 != 2999) continue;
      filter.check_all();
      EXPECT_NO_THROW((void)wire::load<dleft_dynamic_filter>(wire::save(filter.filter())));
    }
    for (const digest d : pool) {
      while (filter.copies(d) > 0) ASSERT_TRUE(filter.erase(d));
    }
    EXPECT_EQ(wire::save(filter.filter()), wire::save(dleft_dynamic_filter(shape)));
  }
}

// The rate at 16 and 20 bits a key, half a million strangers each, as math/ predicts for many buckets;
// below that of Bonomi et al.
TEST(dleft_dynamic, rates_at_16_and_20_bits_a_key) {
  const dleft_dynamic_shape shape{3, 10'000, 128, 15};
  for (const std::uint64_t per_key : {16U, 20U}) {
    const std::uint64_t keys = 3 * shape.buckets * shape.bucket_bits / per_key;
    const auto filter = large_filter<dleft_dynamic_filter>(shape, keys);
    EXPECT_TRUE(large_rate_as_predicted(filter, keys, 500'000)) << per_key;
    EXPECT_LT(dleft_dynamic_filter::predicted_rate(shape, keys), per_key == 16 ? 4.5e-4 : 2.25e-5);
  }
}

// Shared among ever more, a bucket keeps ever less of each remainder; all are found throughout.
TEST(dleft_dynamic, full_buckets_refuse_and_change_nothing) {
  dleft_dynamic_filter filter({2, 3, 64, 10});
  const auto keys = numbered_digests(41, 200);
  // As it fills, too: one more key each time.
  for (std::size_t few = 1; few < 30; ++few) {
    dleft_dynamic_filter part(filter.shape());
    part.insert(std::span(keys).first(few));
    for (const digest d : std::span(keys).first(few)) EXPECT_TRUE(part.may_contain(d));
  }
  EXPECT_GE(expect_refusals_to_change_nothing(filter, keys), 50U);
}

TEST(dleft_dynamic, copies_can_all_be_erased) {
  dleft_dynamic_filter filter({3, 100, 64, 10});
  filter.insert(numbered_digests(42, 100));
  const digest often{1, 2};
  ASSERT_FALSE(filter.may_contain(often));
  std::uint64_t copies = 0;
  EXPECT_TRUE(throws_error(errc::limit, "30 copies of one", [&] {
    for (; copies <= 30; ++copies) filter.insert(often);
  }));
  EXPECT_GT(copies, 20U);
  EXPECT_GE(filter.count(often), copies);  // others there were cut short, and may look alike now
  for (std::uint64_t i = 0; i < copies; ++i) EXPECT_TRUE(filter.erase(often));
  for (const digest d : numbered_digests(42, 100)) EXPECT_TRUE(filter.may_contain(d));
}

// Illegal: a stranger that is certainly absent changes nothing.
TEST(dleft_dynamic, erasing_absent_strangers_changes_nothing) {
  auto filter = dleft_dynamic_filter::for_keys(300, 0.05);
  filter.insert(numbered_digests(43, 300));
  const auto before = wire::save(filter);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(44, 1000)) {
    dleft_dynamic_filter trial = filter.copy();
    const bool gone = trial.erase(d);
    EXPECT_EQ(wire::save(trial) == before, !gone);
    EXPECT_TRUE(!gone || filter.may_contain(d));
    claimed += std::uint64_t{gone};
  }
  EXPECT_GT(claimed, 0U);
}

TEST(dleft_dynamic, refuses_bad_shapes_and_buckets) {
  EXPECT_TRUE(throws_error(errc::invalid, "bucket_bits is 72; allowed: multiples of 16", [] {
    dleft_dynamic_filter({3, 10, 72, 8});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "cells is 9", [] {
    dleft_dynamic_filter({3, 10, 32, 9});
  }));
  const dleft_dynamic_shape shape{2, 2, 32, 4};  // 8 bits each of 4
  const auto restore = [&](std::uint32_t bucket) {
    storage stored = storage::allocate(dleft_dynamic_filter::payload_bytes(shape));
    core::store_le<std::uint32_t>(stored.bytes_for_writing().data() + 4, bucket);
    (void)dleft_dynamic_filter::restore(shape, {}, std::move(stored));
  };
  // Two that begin with 5 and go on with 1 and 2: sequence 5 over 1 plus 6 over 2 of 136.
  const auto two = [](std::uint32_t code, std::uint32_t first, std::uint32_t second) {
    return 2 | code << 4 | first << 12 | second << 22;
  };
  EXPECT_NO_THROW(restore(two(20, 1, 2)));
  // Shared by 5; by one that is not there; by one that begins with zeros; by none, yet not empty; two
  // that are not sorted; sequences that there are not.
  for (const std::uint32_t bad :
       {0x15U, 0x1U, 0x101U, 0x10U, two(20, 2, 1), two(136, 1, 2), two(255, 1, 2)}) {
    EXPECT_TRUE(throws_error(errc::corrupt, "bucket 1 cannot have come about", [&] {
      restore(bad);
    })) << bad;
  }
}

}  // namespace
}  // namespace bloomery::testing
