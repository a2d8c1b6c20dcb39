#include "bloomery/bits/batch/by_region.hpp"

#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

// What each region was given, against what was put; `region_of` may be as skewed as it likes.
template <class RegionOf>
void expect_each_record_once(std::uint64_t keys, std::uint64_t regions, unsigned threads,
                             RegionOf region_of) {
  std::vector<std::vector<std::uint64_t>> given(regions);
  by_region<std::uint64_t>(
      keys, regions, threads,
      [&](std::size_t first, std::size_t count, auto& put) {
        for (std::uint64_t i = first; i < first + count; ++i) put(region_of(i), i);
      },
      [&](std::uint64_t region, std::span<const std::uint64_t> records) {
        given[region].insert(given[region].end(), records.begin(), records.end());
      });
  std::vector<std::vector<std::uint64_t>> expected(regions);
  for (std::uint64_t i = 0; i < keys; ++i) expected[region_of(i)].push_back(i);
  for (std::uint64_t region = 0; region < regions; ++region) {
    if (threads > 1) std::sort(given[region].begin(), given[region].end());
    EXPECT_EQ(given[region], expected[region]) << region;
  }
}

TEST(by_region, hands_over_each_record_once_and_in_order) {
  for (const std::uint64_t keys : {0U, 1U, 31U, 32U, 33U, 1000U, 100'000U}) {
    for (const std::uint64_t regions : {1U, 2U, 7U, 300U}) {
      expect_each_record_once(keys, regions, 1,
                              [&](std::uint64_t i) { return hash::mix(i) % regions; });
    }
  }
}

// All in one region, or nearly: its room overflows again and again.
TEST(by_region, survives_any_skew) {
  expect_each_record_once(100'000, 50, 1, [](std::uint64_t) { return 17U; });
  expect_each_record_once(100'000, 50, 1, [](std::uint64_t i) { return i % 100 == 0 ? 3U : 49U; });
}

TEST(by_region, gives_the_same_on_several_threads) {
  for (const unsigned threads : {2U, 3U}) {
    expect_each_record_once(50'000, 20, threads, [](std::uint64_t i) { return hash::mix(i) % 20; });
    expect_each_record_once(50'000, 20, threads, [](std::uint64_t) { return 5U; });
  }
}

TEST(by_region, takes_several_records_of_a_key) {
  for (const unsigned threads : {1U, 2U}) {
    std::vector<std::vector<std::uint32_t>> given(9);
    by_region<std::uint32_t>(
        10'000, 9, threads,
        [&](std::size_t first, std::size_t count, auto& put) {
          for (std::size_t i = first; i < first + count; ++i) {
            for (std::uint32_t j = 0; j < 5; ++j) put((i + j) % 9, static_cast<std::uint32_t>(i));
          }
        },
        [&](std::uint64_t region, std::span<const std::uint32_t> records) {
          given[region].insert(given[region].end(), records.begin(), records.end());
        },
        5);
    for (std::uint64_t region = 0; region < 9; ++region) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < 10'000; ++i) {
        if ((region + 9 - i % 9) % 9 < 5) expected.push_back(i);
      }
      std::sort(given[region].begin(), given[region].end());
      EXPECT_EQ(given[region], expected) << region << " on " << threads;
    }
  }
}

#ifndef BLOOMERY_SANITIZED  // half a gigabyte
TEST(by_region, takes_several_passes_for_many_keys) {
  constexpr std::uint64_t keys = 2 * records_memory / sizeof(std::uint64_t) + 12'345;
  std::uint64_t sum = 0;
  std::uint64_t calls = 0;
  by_region<std::uint64_t>(
      keys, 4, 1,
      [](std::size_t first, std::size_t count, auto& put) {
        for (std::uint64_t i = first; i < first + count; ++i) put(i % 4, i);
      },
      [&](std::uint64_t, std::span<const std::uint64_t> records) {
        ++calls;
        for (const std::uint64_t i : records) sum += i;
      });
  EXPECT_EQ(sum, keys / 2 * (keys - 1) + (keys % 2) * ((keys - 1) / 2));
  EXPECT_EQ(calls, 3U * 4);
}
#endif

}  // namespace
}  // namespace bloomery::bits
