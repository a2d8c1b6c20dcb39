// Golomb-coded sets: rates, exact code lengths, sizes.
//
// Purpose:   a key is one of `width` values in one of `sections`; in each section the distinct values
//            are sorted, and the empty values before each are counted and written by a Rice code: the
//            quotient by 2^rice_bits in unary, then the remainder. A quotient of longest_quotient or
//            more is not written: the count follows whole.
// Cost:      microseconds.
// Guarantee: the rate and the expected length are exact for keys that fall independently. A planned
//            size lacks room for one in 1/golomb_failure sets, gaps taken as independent.
// Citation:  Golomb 1966; Rice, Plaunt 1971; as a filter: Putze, Sanders, Singler 2007; BIP 158.
//
//     assert(std::abs(bloomery::math::rice_bits_per_value(1024, 10) - 11.582) < 1e-3);
//     assert(bloomery::math::best_rice_bits(1024) == 9);
//     assert(std::abs(bloomery::math::rice_bits_per_value(784931, 19) - 21.05) < 5e-3);
//     const auto size = bloomery::math::plan_golomb(1000, 0.01);
//     assert(bloomery::math::golomb_rate(size, 1000) <= 0.01);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t max_golomb_width = std::uint64_t{1} << 56;
inline constexpr std::uint64_t max_rice_bits = 55;
// One of ten million codes is longer, by the bits of a width instead of those of a remainder.
inline constexpr unsigned longest_quotient = 32;
// What plans take: at 64 a million keys spend 0.38 bits each on the index, at 32 twice that.
inline constexpr std::uint64_t values_per_section = 64;
inline constexpr double golomb_failure = 1e-9;

struct golomb_size {
  std::uint64_t sections;
  std::uint64_t width;  // values in a section
  std::uint64_t rice_bits;
  std::uint64_t code_bits;  // room for all codes

  // Of a count of empty values written whole.
  [[nodiscard]] unsigned count_bits() const;
};

// A stranger is claimed if some key has its section and value: 1-(1-1/(sections·width))^keys.
double golomb_rate(const golomb_size& size, std::uint64_t keys);

// The limit for many sparse values, one in `gap`: r + 1 + 1/(e^(2^r/gap) - 1). The entropy is log2(gap)
// and 1.4427.
double rice_bits_per_value(double gap, std::uint64_t rice_bits);
std::uint64_t best_rice_bits(double gap);

// Bits of the codes of that many keys, quotients cut and all.
double golomb_code_bits(const golomb_size& size, std::uint64_t keys);

golomb_size plan_golomb(std::uint64_t keys, double rate);

// An entry of the index, and half of a section's codes.
query_cost golomb_cost(const golomb_size& size, std::uint64_t keys);

}  // namespace bloomery::math
