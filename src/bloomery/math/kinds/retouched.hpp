// What clearing bits of a Bloom filter costs and brings.
//
// Purpose:   of ρm ones a share is cleared: which share of the false positives goes, and which of the
//            members?
// Cost:      nothing.
// Guarantee: exact for strangers, whichever bits are cleared: the probes of one that is claimed fall
//            on the ones independently. For members, if the bits are cleared at random, within
//            k²/(2ρm), since a member's distinct bits cannot be cleared twice.
// Citation:  Donnet, Baynat, Friedman 2006; Tarkoma §III-Q.
//
//     const double gone = bloomery::math::retouched_share(0.1, 7);
//     assert(std::abs(gone - (1 - std::pow(0.9, 7))) < 1e-15);
//     assert(bloomery::math::retouching_gain(gone, gone) == 1);
#pragma once

#include <cstdint>

namespace bloomery::math {

// 1-(1-s/(ρm))^k: the share of the keys claimed before that are no longer claimed when the share
// s/(ρm) of the ones was cleared.
double retouched_share(double cleared_share, std::uint64_t hashes);

// χ: the share of false positives removed to that of members lost. Infinite if no member is lost; 1,
// neither gain nor loss, if no false positive is removed either.
double retouching_gain(double removed_share, double lost_share);

}  // namespace bloomery::math
