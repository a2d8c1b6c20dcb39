// Where keys lie in a Redis Cluster, and names for keys that are to lie evenly in it.
//
// Purpose:   the slot of a key, and the parts of one thing in slots an equal distance apart, so that masters that
//            own equal ranges of slots have equally many of them. Tags that only count, {0}, {1} …, leave one of
//            three masters with half as many again.
// Guarantee: every slot has a tag, of at most four letters and digits.
// Citation:  the Redis Cluster specification: CRC-16/XMODEM of what is between the first { and the next }, if
//            that is anything, or else of the whole key, modulo 16,384.
//
//     using namespace bloomery::net;
//     assert(redis_slot("123456789") == 0x31c3 % redis_slots);
//     assert(redis_slot("users:{abc}:1") == redis_slot("abc"));
//     assert(redis_slot(redis_tag(777)) == 777);
//     assert(even_slot(0, 4) == 2048 && even_slot(3, 4) == 14336);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery::net {

inline constexpr std::uint16_t redis_slots = 16384;

std::uint16_t redis_slot(std::string_view key);

// For a slot below `redis_slots`, always the same.
const std::string& redis_tag(std::uint16_t slot);

// The slot of part i of `parts`: in the middle of its share.
constexpr std::uint16_t even_slot(std::uint64_t i, std::uint64_t parts) {
  return static_cast<std::uint16_t>((2 * i + 1) * redis_slots / (2 * parts));
}

}  // namespace bloomery::net
