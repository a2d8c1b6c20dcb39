// Values of maps: how many bits they take, and no map can do without.
//
//     assert(bloomery::math::value_bits(257) == 9);
//     assert(bloomery::math::deterministic_map_bits(10, 1e30) > 14);
//     assert(bloomery::math::least_map_bits(256, 1.0 / 1024) == 18);
//     assert(bloomery::math::value_bits(bloomery::math::values_up_to(~std::uint64_t{0})) == 64);
#pragma once

#include <cstdint>

namespace bloomery::math {

// How many values there may be: 2^64, for which the largest number stands, since it is none itself.
inline constexpr std::uint64_t max_value_bits = 64;
inline constexpr std::uint64_t max_map_values = ~std::uint64_t{0};

// How many there are up to `largest`, and of so many bits.
constexpr std::uint64_t values_up_to(std::uint64_t largest) {
  return largest == max_map_values ? max_map_values : largest + 1;
}
constexpr std::uint64_t values_of_bits(std::uint64_t bits) {
  return bits >= max_value_bits ? max_map_values : std::uint64_t{1} << bits;
}

// Bits a key that no map of this rate can do without: log2(values) + log2(1/rate).
double least_map_bits(std::uint64_t values, double rate);

// Chazelle et al. 2004, Theorem 5.1: without random hashes, a map that tells n keys of one value from n
// of another, any of `universe` keys, takes at least n - 2 + log2(log2(universe - n + 2)) bits: tables
// are colours of a graph, and make a universal set of vectors, which halves with every coordinate that
// is fixed; of two coordinates it has log2(universe) vectors or more. The paper has the same without the
// constant.
double deterministic_map_bits(std::uint64_t keys_each, double universe);

// How many of the keys have a value.
struct value_load {
  std::uint64_t value;
  std::uint64_t keys;
};

// How many bits tell values below `limit` apart; none for a single one.
unsigned value_bits(std::uint64_t limit);

}  // namespace bloomery::math
