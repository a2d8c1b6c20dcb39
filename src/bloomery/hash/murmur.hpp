// MurmurHash2 in its variants for 64-bit and for 32-bit machines, by which the filters of RedisBloom find their
// cells; ours is XXH3 (policies.hpp). Public and without a secret: who chooses keys can make them collide.
//
// Citation:  Appleby, MurmurHash2, MurmurHash64A.
//
//     assert(bloomery::hash::murmur_64a({}, 0) == 0);
//     assert(bloomery::hash::murmur_2({}, 0x9747b28c) == 0x106e08d9);
#pragma once

#include <cstdint>

#include "bloomery/core/bytes.hpp"

namespace bloomery::hash {

inline std::uint64_t murmur_64a(byte_view key, std::uint64_t seed) {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed ^ (key.size() * factor);
  const std::byte* at = key.data();
  for (std::size_t left = key.size() / 8; left != 0; --left, at += 8) {
    std::uint64_t word = core::load_le<std::uint64_t>(at) * factor;
    word = (word ^ (word >> 47)) * factor;
    hash = (hash ^ word) * factor;
  }
  if (const std::size_t rest = key.size() % 8; rest != 0) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < rest; ++i) {
      word |= std::to_integer<std::uint64_t>(at[i]) << 8 * i;
    }
    hash = (hash ^ word) * factor;
  }
  hash = (hash ^ (hash >> 47)) * factor;
  return hash ^ (hash >> 47);
}

inline std::uint32_t murmur_2(byte_view key, std::uint32_t seed) {
  constexpr std::uint32_t factor = 0x5bd1e995;
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  const std::byte* at = key.data();
  for (std::size_t left = key.size() / 4; left != 0; --left, at += 4) {
    std::uint32_t word = core::load_le<std::uint32_t>(at) * factor;
    word = (word ^ (word >> 24)) * factor;
    hash = (hash * factor) ^ word;
  }
  if (const std::size_t rest = key.size() % 4; rest != 0) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < rest; ++i) {
      word |= std::to_integer<std::uint32_t>(at[i]) << 8 * i;
    }
    hash = (hash ^ word) * factor;
  }
  hash = (hash ^ (hash >> 13)) * factor;
  return hash ^ (hash >> 15);
}

}  // namespace bloomery::hash
