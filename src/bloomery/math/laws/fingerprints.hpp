// Fingerprints: how many bits keep a rate.
//
// Purpose:   the rate of static functions (fuse, ribbon, perfect) that keep a fingerprint for each key.
// Cost:      nothing to speak of.
// Guarantee: a fingerprint of r bits is met by a stranger with probability 2^-r, and a stranger's hash
//            of h bits, by which keys are told apart, is some key's with probability keys·2^-h: the rate
//            is their sum, whatever the slots.
//
//     assert(bloomery::math::fingerprint_bits(1'000'000, 0.001, 64) == 10);
//     assert(bloomery::math::fingerprint_rate(1'000'000, 10, 64) < 0.000977);
#pragma once

#include <cstdint>

namespace bloomery::math {

inline constexpr unsigned max_fingerprint_bits = 32;

double fingerprint_rate(std::uint64_t keys, unsigned bits, unsigned hash_bits);
// The fewest that keep the rate; errc::limit if max_fingerprint_bits do not.
unsigned fingerprint_bits(std::uint64_t keys, double rate, unsigned hash_bits);

}  // namespace bloomery::math
