#include "bloomery/bits/code/byte_scan.hpp"

#include <bit>

#include "bloomery/core/simd.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/code/byte_scan.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

std::uint64_t count_ones(byte_view bytes) {
  return BLOOMERY_BY(core::chosen_backend(), count_ones(bytes));
}

std::array<std::uint64_t, 256> count_bytes(byte_view bytes) {
  // Eight tables, since equal neighbours would wait for each other.
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  std::array<std::uint64_t, 256> counts{};
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const auto word = core::load_le<std::uint64_t>(bytes.data() + i);
    ++tables[0][word & 0xff];
    ++tables[1][word >> 8 & 0xff];
    ++tables[2][word >> 16 & 0xff];
    ++tables[3][word >> 24 & 0xff];
    ++tables[4][word >> 32 & 0xff];
    ++tables[5][word >> 40 & 0xff];
    ++tables[6][word >> 48 & 0xff];
    ++tables[7][word >> 56];
  }
  for (; i < bytes.size(); ++i) ++counts[std::to_integer<std::size_t>(bytes[i])];
  for (const auto& table : tables) {
    for (std::size_t b = 0; b < counts.size(); ++b) counts[b] += table[b];
  }
  return counts;
}

}  // namespace bloomery::bits
