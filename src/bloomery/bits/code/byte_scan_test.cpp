#include "bloomery/bits/code/byte_scan.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "bloomery/core/simd.hpp"

namespace bloomery::bits {
namespace {

TEST(byte_scan, counts_as_one_by_one_on_every_back_end) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::byte> bytes(size);
    std::uint64_t ones = 0;
    std::array<std::uint64_t, 256> counts{};
    for (std::byte& b : bytes) {
      b = static_cast<std::byte>(random() % (size < 35 ? 256 : 4));
      ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(b)));
      ++counts[std::to_integer<std::size_t>(b)];
    }
    EXPECT_EQ(count_bytes(bytes), counts);
    for (const core::backend which : core::all_backends) {
      if (!core::runnable(which)) continue;
      const core::forced_backend forced(which);
      EXPECT_EQ(count_ones(bytes), ones) << name_of(which) << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace bloomery::bits
