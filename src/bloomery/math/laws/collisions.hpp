// Collisions of digests: the chance that two keys become one.
//
// Purpose:   what a keyed hash promises against keys that were chosen to collide; docs/hash.md.
// Cost:      nothing to speak of.
// Guarantee: an upper bound for any two keys that were chosen without sight of the secret.
// Citation:  Black, Halevi, Krawczyk, Krovetz, Rogaway 1999, theorem 4.2 (NH of words of w bits: 2^-w);
//            Carter, Wegman 1979 and the roots of a polynomial.
//
//     assert(bloomery::math::universal_collision(60) < 6e-20);
//     assert(bloomery::math::any_collision(1'000'000, 60) < 3e-8);
#pragma once

#include <cstdint>

namespace bloomery::math {

// The parameters of universal_hash: blocks of 1 KiB by NH of 64-bit words, then two coefficients for each
// block of a polynomial over the field of 2^127 - 1, asked at one of 2^124 points.
inline constexpr std::uint64_t universal_block = 1024;

// That two different keys of at most so many bytes have one digest.
double universal_collision(std::uint64_t bytes);

// That any two of so many different keys have; at most 1.
double any_collision(std::uint64_t keys, std::uint64_t bytes);

}  // namespace bloomery::math
