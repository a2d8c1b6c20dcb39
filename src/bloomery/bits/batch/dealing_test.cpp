#include "bloomery/bits/batch/dealing.hpp"

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

// Against a stable sort; more threads than items, empty buckets and none at all.
TEST(deal, is_a_stable_sort_on_any_number_of_threads) {
  for (const std::uint64_t count : {0U, 1U, 5U, 3000U}) {
    for (const std::uint64_t buckets : {1U, 7U, 5000U}) {
      std::vector<std::uint64_t> expected(count);
      for (std::uint64_t i = 0; i < count; ++i) expected[i] = i;
      const auto bucket_of = [&](std::uint64_t i) { return hash::reduce(hash::mix(i), buckets); };
      std::ranges::stable_sort(expected, {}, bucket_of);
      for (const unsigned threads : {1U, 2U, 7U}) {
        std::vector<std::uint64_t> dealt(count);
        const auto starts = deal(
            count, buckets, threads, [](std::uint64_t i) { return i; }, bucket_of,
            [&](std::uint64_t place, std::uint64_t item, std::uint64_t i) {
              EXPECT_EQ(item, i);
              dealt[place] = i;
            });
        EXPECT_EQ(dealt, expected);
        ASSERT_EQ(starts.size(), buckets + 1);
        EXPECT_EQ(starts.back(), count);
        for (std::uint64_t b = 0; b < buckets; ++b) {
          for (std::uint64_t at = starts[b]; at < starts[b + 1]; ++at) {
            ASSERT_EQ(bucket_of(dealt[at]), b);
          }
        }
      }
    }
  }
}

// Also of keys that are all in one bucket.
TEST(deal_in_order, sorts) {
  std::vector<digest> keys = numbered_digests(1, 5000);
  for (std::uint64_t i = 0; i < 5000; ++i) keys.push_back({i % 7, hash::mix(i)});
  std::vector<digest> expected = keys;
  std::sort(expected.begin(), expected.end());
  for (const unsigned threads : {1U, 3U}) {
    std::vector<digest> dealt(keys.size());
    deal_in_order(
        std::span(dealt), threads, [&](std::uint64_t i) { return keys[i]; },
        [](digest d) { return d.lo; }, [](digest d) { return std::pair(d.lo, d.hi); });
    EXPECT_EQ(dealt, expected);
  }
}

TEST(threads_for, is_no_more_than_asked_for_and_at_least_one) {
  EXPECT_EQ(threads_for(0, 8), 1U);
  EXPECT_EQ(threads_for(1'000'000, 0), 1U);
  EXPECT_EQ(threads_for(100'000, 8), 3U);
  EXPECT_EQ(threads_for(10'000'000, 8), 8U);
}

}  // namespace
}  // namespace bloomery::bits
