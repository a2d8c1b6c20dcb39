#include "bloomery/core/zeros.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bloomery::core {
namespace {

// Each single bit, asked for from each bit on, and from the end.
TEST(zeros, are_found_from_every_bit_on) {
  for (std::uint64_t set = 0; set < 24; ++set) {
    std::array<std::byte, 3> bytes{};
    bytes.at(set / 8) = std::byte{1} << (set % 8);
    EXPECT_FALSE(all_zero(bytes));
    for (std::uint64_t from = 0; from <= 24; ++from) {
      EXPECT_EQ(zero_from_bit(bytes, from), from > set) << set << " from " << from;
    }
  }
  EXPECT_TRUE(all_zero({}) && zero_from_bit({}, 0));
}

}  // namespace
}  // namespace bloomery::core
