// Integer mixing: the two primitives that probe sequences are made of.
//
// Cost: one multiply for reduce, two for mix. Both are bijection-like on 64 bits and free of
// division.
//
//     assert(bloomery::reduce(0, 10) == 0);
//     assert(bloomery::reduce(~std::uint64_t{0}, 10) == 9);
//     static_assert(bloomery::mix(1) != bloomery::mix(2));
#pragma once

#include <cstdint>

#include "bloomery/core/int128.hpp"

namespace bloomery {

// Uniform 64 bits to [0, range) by multiply-high. Unlike a modulo this uses the high bits, keeps
// the bias below range / 2^64, and commutes with folding: reduce(x, m) / f == reduce(x, m / f).
constexpr std::uint64_t reduce(std::uint64_t uniform, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<uint128>(uniform) * range) >> 64);
}

// A 64-bit bijection with full avalanche: David Stafford's variant 13 of the MurmurHash3
// finaliser.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// 2^64 divided by the golden ratio, odd: the Weyl step of SplitMix64 (Steele, Lea, Flood 2014).
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

}  // namespace bloomery
