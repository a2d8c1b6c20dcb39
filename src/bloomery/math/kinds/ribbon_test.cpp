#include "bloomery/math/kinds/ribbon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(ribbon_plan, takes_at_most_1_01_times_the_values) {
  for (const std::uint64_t keys : {1'000'000U, 3'000'000U, 10'000'000U, 100'000'000U}) {
    const ribbon_size wide = plan_ribbon(keys, ribbon_wide);
    const ribbon_size narrow = plan_ribbon(keys, ribbon_narrow);
    for (unsigned width = 8; width <= 32; ++width) {
      EXPECT_LE(ribbon_bits(wide, width), 1.01 * width * real(keys)) << keys;
      EXPECT_LE(ribbon_bits(narrow, width), 1.02 * width * real(keys)) << keys;
    }
  }
}

TEST(ribbon_plan, has_room_for_its_keys_in_layers_that_can_be_solved) {
  std::set<std::uint64_t> sizes;
  for (std::uint64_t keys = 1; keys <= 3000; ++keys) sizes.insert(keys);
  for (std::uint64_t keys = 3000; keys <= max_keys; keys += keys / 7) sizes.insert(keys);
  sizes.insert(max_keys);
  for (const std::uint64_t keys : sizes) {
    for (const unsigned band : {ribbon_narrow, ribbon_wide}) {
      const ribbon_size size = plan_ribbon(keys, band);
      ASSERT_EQ(size.band, band);
      ASSERT_GT(size.rows(), keys);
      std::uint64_t rows = size.last_rows;
      std::uint64_t buckets = 0;
      for (unsigned i = 0; i < size.bumping; ++i) {
        const ribbon_layer& layer = size.layers[i];
        ASSERT_TRUE(layer.segments == 1 || layer.segments % 4 == 0) << keys;
        ASSERT_GE(layer.buckets, 2U) << keys;
        ASSERT_LE(layer.buckets, ribbon_segment) << keys;
        if (i != 0) {
          ASSERT_LT(10 * layer.rows(), 3 * size.layers[i - 1].rows()) << keys;
        }
        rows += 64 * layer.segments * layer.buckets;
        buckets += layer.segments * layer.buckets;
      }
      ASSERT_EQ(size.rows(), rows);
      ASSERT_EQ(size.buckets(), buckets);
      ASSERT_EQ(ribbon_bits(size, 5), 5.0 * real(rows) + 2.0 * real(buckets));
      ASSERT_GE(size.last_rows, 2 * ribbon_block);
      ASSERT_EQ(size.last_rows % ribbon_block, 0U);
    }
  }
}

// Stored tables are laid out by these.
TEST(ribbon_plan, does_not_change) {
  const ribbon_size size = plan_ribbon(1'000'000, ribbon_narrow);
  ASSERT_EQ(size.bumping, 3U);
  EXPECT_EQ(size.layers[0].segments, 16U);
  EXPECT_EQ(size.layers[0].buckets, 931U);
  EXPECT_EQ(size.layers[1].segments, 1U);
  EXPECT_EQ(plan_ribbon(1536, ribbon_narrow).bumping, 0U);
  EXPECT_EQ(plan_ribbon(1537, ribbon_narrow).bumping, 1U);
  EXPECT_EQ(plan_ribbon(1, ribbon_narrow).last_rows, 96U);

  const ribbon_size wide = plan_ribbon(1'000'000, ribbon_wide);
  ASSERT_EQ(wide.bumping, 3U);
  EXPECT_EQ(wide.layers[0].segments, 16U);
  EXPECT_EQ(wide.layers[0].buckets, 913U);
  EXPECT_EQ(wide.layers[1].segments, 1U);
  EXPECT_EQ(wide.layers[2].segments, 1U);
  EXPECT_EQ(plan_ribbon(1536, ribbon_wide).bumping, 0U);
  EXPECT_EQ(plan_ribbon(1537, ribbon_wide).bumping, 1U);
  EXPECT_EQ(plan_ribbon(1, ribbon_wide).last_rows, 64U);
}

TEST(ribbon_plan, refuses_no_keys_and_too_many) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "keys is 0", [] { (void)plan_ribbon(0, ribbon_wide); }));
  EXPECT_TRUE(throws_error(errc::invalid, "allowed: 1 to",
                           [] { (void)plan_ribbon(max_keys + 1, ribbon_wide); }));
}

// Blocks of 4·width bytes, from any block on: those that the equation reaches, but at least two.
TEST(ribbon_cost, counts_the_lines_of_blocks) {
  const ribbon_size narrow = plan_ribbon(1'000'000, ribbon_narrow);
  EXPECT_EQ(ribbon_cost(narrow, 8).absent, 1.5);
  EXPECT_EQ(ribbon_cost(narrow, 8).present, 1.5);
  EXPECT_EQ(ribbon_cost(narrow, 16).absent, 2);
  EXPECT_EQ(ribbon_cost(narrow, 32).absent, 4);
  EXPECT_EQ(ribbon_cost(narrow, 1).absent, 1.0625);
  for (const unsigned band : {ribbon_narrow, ribbon_wide}) {
    const ribbon_size size = plan_ribbon(1'000'000, band);
    for (unsigned width = 1; width <= 32; ++width) {
      double lines = 0;
      for (unsigned row = 0; row < 32 * 160; ++row) {
        const unsigned block = row / 32;
        const unsigned end = std::max(block + 2, (row + band - 1) / 32 + 1);
        std::set<unsigned> touched;
        for (unsigned word = block * width; word < end * width; ++word) touched.insert(word / 16);
        lines += real(touched.size());
      }
      EXPECT_DOUBLE_EQ(ribbon_cost(size, width).absent, lines / (32 * 160)) << width;
    }
  }
}

}  // namespace
}  // namespace bloomery::math
