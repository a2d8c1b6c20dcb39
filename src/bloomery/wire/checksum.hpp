// The checksum of stored bytes: XXH3-64, seed 0.
//
//     const auto whole = bloomery::bytes_of("abcdef");
//     const std::array parts{whole.first(2), whole.subspan(2)};
//     assert(bloomery::wire::checksum(parts) == bloomery::wire::checksum(whole));
#pragma once

#include <span>

#include "bloomery/core/bytes.hpp"

namespace bloomery::wire {

std::uint64_t checksum(std::span<const byte_view> parts);  // as if joined
std::uint64_t checksum(byte_view bytes);

}  // namespace bloomery::wire
