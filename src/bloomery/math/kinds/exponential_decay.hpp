// Exponentially decaying filters: routing tables whose bits fade with distance.
//
// Purpose:   the score of a key this many hops off, the score that noise reaches, and the size.
// Guarantee: scores are binomial: exact for keys with k distinct bits.
// Citation:  Kumar, Xu, Zegura 2005; Tarkoma §IV-B.
//
//     namespace math = bloomery::math;
//     assert(math::expected_score(32, 2, 4.0, 0.0) == 2);  // a sixteenth of the bits is left
//     assert(math::noise_floor(32, 0.5, 0.01) == 24);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/plan.hpp"

namespace bloomery::math {

// k·(q+(1-q)·fill), q = decay^-relays: a bit survived every relay, or another key set it. The usual
// k·(q+fill) counts bits twice that both did.
double expected_score(std::uint64_t hashes, std::uint64_t relays, double decay, double fill);

// The lowest score that a stranger reaches with probability `chance` at most; k + 1 if even all k
// bits are more likely than that.
std::uint64_t noise_floor(std::uint64_t hashes, double fill, double chance);

// The fewest bits that keep the rate with k hashes and are at most a quarter full: beyond that noise
// drowns the score of what was relayed even once.
inline constexpr double scored_fill = 0.25;
standard_size plan_scored(std::uint64_t hashes, std::uint64_t keys, double rate);

}  // namespace bloomery::math
