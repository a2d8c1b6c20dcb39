// Whether bytes that must be zero are: padding and what is reserved.
//
//     const std::array<std::byte, 2> bytes{std::byte{1}, std::byte{2}};
//     assert(!bloomery::core::all_zero(bytes));
//     assert(bloomery::core::zero_from_bit(bytes, 10) && !bloomery::core::zero_from_bit(bytes, 9));
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bloomery/core/bytes.hpp"

namespace bloomery::core {

inline bool all_zero(byte_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Bits count from the lowest of the first byte; there may be none from there on.
inline bool zero_from_bit(byte_view bytes, std::uint64_t bit) {
  const bool clean = bit % 8 == 0 || std::to_integer<unsigned>(bytes[bit / 8]) >> bit % 8 == 0;
  return clean && all_zero(bytes.subspan((bit + 7) / 8));
}

}  // namespace bloomery::core
