// What there is in a run of bytes: how many ones, and how many of each byte.
//
//     const std::array bytes{std::byte{1}, std::byte{7}, std::byte{1}};
//     assert(bloomery::bits::count_ones(bytes) == 5 && bloomery::bits::count_bytes(bytes)[1] == 2);
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

std::uint64_t count_ones(byte_view bytes);
std::array<std::uint64_t, 256> count_bytes(byte_view bytes);

}  // namespace bloomery::bits
