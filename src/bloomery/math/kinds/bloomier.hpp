// Bloomier filters: how many slots peeling needs, and how long codes must be.
//
// Purpose:   sizes and rates of functions that are stored as the exclusive or of a key's `hashes`
//            slots and a mask of its own.
// Cost:      microseconds.
// Guarantee: a stranger's mask makes its code uniform, so that it is one of the legal ones with
//            probability codes/2^width exactly, whatever the table holds. One attempt to peel
//            bloomier_slots fails with probability below one in six, and below one in thirty from
//            3,000 keys on with three slots a key (measured; see bits/table/peeling_test.cpp).
// Citation:  Chazelle, Kilian, Rubinfeld, Tal 2004 (Lemma 4.2). The threshold is in laws/peeling.hpp; the
//            width of its transition, √keys: Dembo, Montanari 2008.
//
//     assert(bloomery::math::bloomier_slots(1'000'000, 3) < 1'224'000);
//     assert(bloomery::math::code_rate(13, 11) == 13.0 / 2048);
//     assert(bloomery::math::code_bits(13, 0.01) == 11);
#pragma once

#include <cstdint>

namespace bloomery::math {

inline constexpr std::uint64_t fewest_slots_per_key = 3;
inline constexpr std::uint64_t most_slots_per_key = 8;

// Beside as many codes that say "absent".
inline constexpr std::uint64_t max_codes = std::uint64_t{1} << 63;

// For `keys` keys, with room for the chance of the draw.
std::uint64_t bloomier_slots(std::uint64_t keys, std::uint64_t hashes);

// The chance that `width` random bits are one of the legal codes.
double code_rate(std::uint64_t codes, unsigned width);
// The shortest codes that keep the rate; errc::limit if 64 bits do not.
unsigned code_bits(std::uint64_t codes, double rate);

}  // namespace bloomery::math
