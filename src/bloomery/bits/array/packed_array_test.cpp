#include "bloomery/bits/array/packed_array.hpp"

#include <random>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

// 150 cells cross every alignment of a cell within a word; set values at random, overwriting.
TEST(packed_widths, agree_with_a_vector) {
  for (unsigned width = 1; width <= 64; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    constexpr std::uint64_t cells = 150;
    packed_array packed(cells, width);
    EXPECT_EQ(packed.width(), width);
    EXPECT_EQ(packed.size(), cells);
    const std::uint64_t most = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    EXPECT_EQ(packed.max_value(), most);
    std::vector<std::uint64_t> oracle(cells, 0);
    std::mt19937_64 random(width);
    for (int step = 0; step < 1000; ++step) {
      const std::uint64_t i = random() % cells;
      const std::uint64_t value = step % 5 == 0 ? most : step % 7 == 0 ? 0 : random() & most;
      packed.set(i, value);
      oracle[i] = value;
      if (step % 100 != 0 && i != 0 && i + 1 != cells) {
        ASSERT_EQ(packed.get(i - 1), oracle[i - 1]);
        ASSERT_EQ(packed.get(i), oracle[i]);
        ASSERT_EQ(packed.get(i + 1), oracle[i + 1]);
        continue;
      }
      for (std::uint64_t j = 0; j < cells; ++j) ASSERT_EQ(packed.get(j), oracle[j]) << j;
    }
  }
}

// Cell i is bits i·w to i·w + w - 1 of the little-endian bit string, and the padding stays clean.
TEST(packed_widths, are_laid_out_without_gaps) {
  for (unsigned width = 1; width <= 64; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    constexpr std::uint64_t cells = 70;
    packed_array packed(cells, width);
    std::mt19937_64 random(100 + width);
    std::vector<bool> expected(packed.bytes().size() * 8, false);
    for (std::uint64_t i = 0; i < cells; ++i) {
      const std::uint64_t value = random() & packed.max_value();
      packed.set(i, value);
      for (unsigned bit = 0; bit < width; ++bit) expected[i * width + bit] = value >> bit & 1;
    }
    for (std::size_t bit = 0; bit < expected.size(); ++bit) {
      const auto byte = std::to_integer<unsigned>(packed.bytes()[bit / 8]);
      ASSERT_EQ((byte >> bit % 8 & 1) != 0, expected[bit]) << bit;
    }
    EXPECT_NO_THROW((void)packed_array(cells, width, storage::view(packed.bytes())));
  }
}

TEST(packed_widths, survive_copy_and_view) {
  for (unsigned width = 1; width <= 64; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    packed_array packed(10, width);
    packed.set(9, packed.max_value());
    packed_array copied = packed;
    copied.set(9, 0);
    EXPECT_EQ(packed.get(9), packed.max_value());
    packed_array viewed(10, width, storage::view(packed.bytes()));
    EXPECT_EQ(viewed.get(9), packed.max_value());
    EXPECT_TRUE(throws_error(errc::read_only, "read-only", [&] { viewed.require_writable(); }));
  }
}

TEST(packed_array, refuses_bad_widths_and_sizes) {
  EXPECT_TRUE(throws_error(errc::invalid, "cells of 0 bits; allowed: 1 to 64",
                           [] { (void)packed_array(10, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "cells of 65 bits", [] { (void)packed_array(10, 65); }));
  EXPECT_TRUE(throws_error(errc::limit, "0 cells", [] { (void)packed_array(0, 8); }));
  EXPECT_TRUE(throws_error(errc::limit, "allowed: 1 to 4398046511104",
                           [] { (void)packed_array(max_bits / 64 + 1, 64); }));
  // Times the width it wraps around to a small number.
  EXPECT_TRUE(throws_error(errc::limit, "cells of 64 bits",
                           [] { (void)packed_array((std::uint64_t{1} << 58) + 1, 64); }));
}

TEST(packed_array, refuses_bad_stored_bytes) {
  EXPECT_TRUE(throws_error(errc::corrupt, "there are 128",
                           [] { (void)packed_array(10, 5, storage::allocate(128)); }));
  storage dirty = storage::allocate(64);
  dirty.bytes_for_writing()[50 / 8] = std::byte{0b100};  // bit 50, the first beyond ten cells of 5
  EXPECT_TRUE(
      throws_error(errc::corrupt, "padding", [&] { (void)packed_array(10, 5, std::move(dirty)); }));
  EXPECT_TRUE(throws_error(errc::invalid, "cells of 0 bits",
                           [] { (void)packed_array(10, 0, storage::allocate(64)); }));
}

TEST(packed_array, reaches_beyond_two_to_the_thirty_two_bits) {
  const std::uint64_t cells = (std::uint64_t{1} << 30) + 3;
  packed_array packed(cells, 7);
  packed.set(cells - 1, 101);
  packed.set(cells - 2, 27);
  EXPECT_EQ(packed.get(cells - 1), 101U);
  EXPECT_EQ(packed.get(cells - 2), 27U);
  EXPECT_EQ(packed.get(cells - 3), 0U);
  EXPECT_EQ(packed.get(((cells - 1) * 7 - (std::uint64_t{1} << 32)) / 7), 0U);
}

TEST(packed_array, runs_down_exactly_the_cells_of_the_range) {
  for (const unsigned width : {1U, 2U, 3U, 4U, 8U, 11U, 16U, 32U, 64U}) {
    constexpr std::uint64_t size = 150;
    for (const std::uint64_t first : {0U, 1U, 31U, 32U, 64U, 150U}) {
      for (const std::uint64_t last : {0U, 1U, 33U, 63U, 64U, 65U, 150U}) {
        if (last < first) continue;
        packed_array cells(size, width);
        const auto value_of = [&](std::uint64_t i) {
          constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
          return i % 3 == 0 ? 0 : (i * odd >> 7) & cells.max_value();
        };
        for (std::uint64_t i = 0; i < size; ++i) cells.set(i, value_of(i));
        cells.run_down(first, last);
        for (std::uint64_t i = 0; i < size; ++i) {
          const std::uint64_t before = value_of(i);
          const bool lower = i >= first && i < last && before != 0;
          ASSERT_EQ(cells.get(i), before - std::uint64_t{lower}) << width << ' ' << i;
        }
      }
    }
  }
}

TEST(packed_array, keeps_the_bits_of_a_mask) {
  for (const unsigned width : {1U, 2U, 5U, 8U, 64U}) {
    for (const std::uint64_t mask : {0U, 1U, 2U}) {
      packed_array cells(70, width);
      for (std::uint64_t i = 0; i < 70; ++i) cells.set(i, i & cells.max_value());
      cells.keep(mask & cells.max_value());
      for (std::uint64_t i = 0; i < 70; ++i) {
        ASSERT_EQ(cells.get(i), i & cells.max_value() & mask) << width;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::bits
