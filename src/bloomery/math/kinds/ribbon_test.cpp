#include "bloomery/math/kinds/ribbon.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(ribbon_plan, takes_at_most_1_02_times_the_values) {
  for (const std::uint64_t keys : {1'000'000U, 3'000'000U, 10'000'000U, 100'000'000U}) {
    const ribbon_size size = plan_ribbon(keys);
    for (unsigned width = 8; width <= 32; ++width) {
      EXPECT_LE(ribbon_bits(size, width), 1.02 * width * real(keys)) << keys;
    }
  }
}

TEST(ribbon_plan, has_room_for_its_keys_in_layers_that_can_be_solved) {
  std::set<std::uint64_t> sizes;
  for (std::uint64_t keys = 1; keys <= 3000; ++keys) sizes.insert(keys);
  for (std::uint64_t keys = 3000; keys <= max_keys; keys += keys / 7) sizes.insert(keys);
  sizes.insert(max_keys);
  for (const std::uint64_t keys : sizes) {
    const ribbon_size size = plan_ribbon(keys);
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
    ASSERT_GE(size.last_rows, 2 * ribbon_width);
    ASSERT_EQ(size.last_rows % ribbon_width, 0U);
  }
}

// Stored tables are laid out by these.
TEST(ribbon_plan, does_not_change) {
  const ribbon_size size = plan_ribbon(1'000'000);
  ASSERT_EQ(size.bumping, 3U);
  EXPECT_EQ(size.layers[0].segments, 16U);
  EXPECT_EQ(size.layers[0].buckets, 931U);
  EXPECT_EQ(size.layers[1].segments, 1U);
  EXPECT_EQ(plan_ribbon(1536).bumping, 0U);
  EXPECT_EQ(plan_ribbon(1537).bumping, 1U);
  EXPECT_EQ(plan_ribbon(1).last_rows, 96U);
}

TEST(ribbon_plan, refuses_no_keys_and_too_many) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "keys is 0", [] { (void)plan_ribbon(0); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "allowed: 1 to", [] { (void)plan_ribbon(max_keys + 1); }));
}

// Two blocks of 4·width bytes, from any block on.
TEST(ribbon_cost, counts_the_lines_of_two_blocks) {
  const ribbon_size size = plan_ribbon(1'000'000);
  EXPECT_EQ(ribbon_cost(size, 8).absent, 1.5);
  EXPECT_EQ(ribbon_cost(size, 8).present, 1.5);
  EXPECT_EQ(ribbon_cost(size, 16).absent, 2);
  EXPECT_EQ(ribbon_cost(size, 32).absent, 4);
  EXPECT_EQ(ribbon_cost(size, 1).absent, 1.0625);
  for (unsigned width = 1; width <= 32; ++width) {
    double lines = 0;
    for (unsigned block = 0; block < 1600; ++block) {
      std::set<unsigned> touched;
      for (unsigned byte = 0; byte < 8 * width; ++byte)
        touched.insert((4 * width * block + byte) / 64);
      lines += real(touched.size());
    }
    EXPECT_DOUBLE_EQ(ribbon_cost(size, width).absent, lines / 1600) << width;
  }
}

}  // namespace
}  // namespace bloomery::math
