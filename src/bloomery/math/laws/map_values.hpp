// Values of maps: how many bits they take, and no map can do without.
//
//     assert(bloomery::math::value_bits(257) == 9);
//     assert(bloomery::math::least_map_bits(256, 1.0 / 1024) == 18);
#pragma once

#include <cstdint>

namespace bloomery::math {

inline constexpr std::uint64_t max_value_bits = 32;
inline constexpr std::uint64_t max_map_values = std::uint64_t{1} << max_value_bits;

// Bits a key that no map of this rate can do without: log2(values) + log2(1/rate).
double least_map_bits(std::uint64_t values, double rate);

// How many of the keys have a value.
struct value_load {
  std::uint64_t value;
  std::uint64_t keys;
};

// How many bits tell values below `limit` apart; none for a single one.
unsigned value_bits(std::uint64_t limit);

}  // namespace bloomery::math
