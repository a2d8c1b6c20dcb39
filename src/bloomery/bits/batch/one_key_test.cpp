#include "bloomery/bits/batch/one_key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/counter_array.hpp"
#include "bloomery/hash/positions.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bloomery::testing::numbered_digests;

// Calls act(range, probes) for ranges of both kinds in which positions repeat, and others.
template <class Act>
void in_each_range(std::span<const std::uint64_t> sizes, Act act) {
  const auto within = [&](const auto& probes) {
    const position_range range(probes);
    if (!vectors_for(core::inlined_backend(), range)) return;
    SCOPED_TRACE(std::to_string(probes.count) + " positions in " + std::to_string(probes.range()));
    act(range, probes);
  };
  for (const std::uint64_t cells : sizes) {
    for (std::uint64_t k = 1; k <= most_positions; ++k) {
      within(hash::uniform_probes{cells, k});
      within(hash::partitioned_probes{cells, k});
    }
  }
}

TEST(one_key, is_for_no_more_positions_than_kernels_are) {
  const hash::uniform_probes probes{1000, most_positions + 1};
  for (const core::backend which : core::all_backends) {
    EXPECT_FALSE(vectors_for(which, position_range(probes)));
  }
}

TEST(one_key, has_the_bits_of_its_probes) {
  const auto keys = numbered_digests(51, 200);
  constexpr std::uint64_t sizes[] = {1, 5, 1000, 100'003};
  in_each_range(sizes, [&](const position_range& range, const auto& probes) {
    bit_array bits(probes.range());
    bit_array expected(probes.range());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool known = probes.all(keys[i], [&](auto at) { return expected.test(at); });
      ASSERT_EQ(key_bits_set(range, bits.words(), keys[i]), known);
      if (i % 3 == 0) continue;
      ASSERT_EQ(set_key_bits(range, bits.words(), keys[i]), !known);
      hash::each_position(probes, keys[i], [&](auto at) { expected.set(at); });
      ASSERT_TRUE(key_bits_set(range, bits.words(), keys[i]));
      ASSERT_TRUE(std::ranges::equal(bits.bytes(), expected.bytes()));
    }
  });
}

// Of so much memory only the lines of these keys are ever touched.
TEST(one_key, has_the_bits_of_its_probes_beyond_32_bits) {
  const auto keys = numbered_digests(52, 3);
  constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;
  constexpr std::uint64_t sizes[] = {two_to_32 - 1, two_to_32, 5 * two_to_32 + 12'345};
  for (const std::uint64_t cells : sizes) {
    bit_array bits(cells);
    for (const std::uint64_t k : {std::uint64_t{7}, most_positions}) {
      const hash::uniform_probes probes{cells, k};
      const position_range range(probes);
      if (!vectors_for(core::inlined_backend(), range)) return;
      for (const digest key : keys) {
        ASSERT_FALSE(key_bits_set(range, bits.words(), key));
        ASSERT_TRUE(set_key_bits(range, bits.words(), key));
        ASSERT_TRUE(key_bits_set(range, bits.words(), key));
        std::uint64_t set = 0;
        hash::each_position(probes, key, [&](auto at) { set += std::uint64_t{bits.test(at)}; });
        ASSERT_EQ(set, k);
        hash::each_position(probes, key, [&](auto at) { bits.clear(at); });
        hash::each_position(probes, key, [&](auto at) { ASSERT_EQ(bits.word(at / 64), 0U); });
      }
    }
  }
}

// Counters that are zero, full and repeated, in all their widths.
TEST(one_key, has_the_counters_of_its_probes) {
  const auto keys = numbered_digests(53, 120);
  constexpr std::uint64_t sizes[] = {3, 40, 3000};
  for (const unsigned width : {1U, 2U, 4U, 8U, 16U}) {
    SCOPED_TRACE(std::to_string(width) + " bits a counter");
    in_each_range(sizes, [&](const position_range& range, const auto& probes) {
      counter_array counters(probes.range(), width);
      counter_array expected(probes.range(), width);
      const auto with_care = [&](const counter_array& of, digest key, auto change) {
        const hash::positions at(probes, key);
        return change(of.words(), at.size(), true, [&](std::uint64_t j) { return at[j]; }) != 0;
      };
      const auto raise = [](const auto&... what) { return one_key::raise(what...); };
      const auto lower = [](const auto&... what) { return one_key::lower(what...); };
      for (std::size_t i = 0; i < 3 * keys.size(); ++i) {
        const digest key = keys[i * 7 % keys.size()];
        const bool there = probes.all(key, [&](auto at) { return expected.get(at) != 0; });
        ASSERT_EQ(key_counters_raised(range, counters.words(), key), there);
        if (i % 5 < 3) {
          ASSERT_EQ(raise_key_counters(range, counters.words(), key,
                                       [&] { return with_care(counters, key, raise); }),
                    with_care(expected, key, raise));
        } else {
          ASSERT_EQ(lower_key_counters(range, counters.words(), key,
                                       [&] { return with_care(counters, key, lower); }),
                    with_care(expected, key, lower));
        }
        ASSERT_TRUE(std::ranges::equal(counters.bytes(), expected.bytes()));
      }
    });
  }
}

}  // namespace
}  // namespace bloomery::bits
