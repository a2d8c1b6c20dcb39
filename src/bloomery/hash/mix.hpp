// Integer mixing: the primitives that probe sequences are made of.
//
// Cost: one multiply for reduce and fold, two for mix; no division.
//
//     assert(bloomery::hash::reduce(0, 10) == 0);
//     assert(bloomery::hash::reduce(std::uint64_t{1} << 63, 10) == 5);
//     assert(bloomery::hash::reduce(~std::uint64_t{0}, 10) == 9);
//     static_assert(bloomery::hash::mix(1) != bloomery::hash::mix(2));
#pragma once

#include <cstdint>

#include "bloomery/core/int128.hpp"

namespace bloomery::hash {

// Uniform 64 bits to [0, range) by multiply-high. Unlike a modulo this uses the high bits, keeps
// the bias below range / 2^64, and commutes with folding: reduce(x, m) / f == reduce(x, m / f).
constexpr std::uint64_t reduce(std::uint64_t uniform, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<core::uint128>(uniform) * range) >> 64);
}

// A 64-bit bijection with full avalanche: David Stafford's variant 13 of the MurmurHash3
// finaliser.
inline constexpr std::uint64_t mix_factors[] = {0xbf58476d1ce4e5b9, 0x94d049bb133111eb};
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * mix_factors[0];
  x = (x ^ (x >> 27)) * mix_factors[1];
  return x ^ (x >> 31);
}

// Both halves of the 128-bit product, added without carry: one multiply in which every bit of `x`
// reaches the middle of the result. Not a bijection, and weaker than mix.
constexpr std::uint64_t fold(std::uint64_t x, std::uint64_t odd) {
  const core::uint128 product = static_cast<core::uint128>(x) * odd;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// 2^64 divided by the golden ratio, odd: the Weyl step of SplitMix64 (Steele, Lea, Flood 2014).
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

}  // namespace bloomery::hash
