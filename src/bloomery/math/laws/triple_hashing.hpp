// Triple hashing: the k places of a key are x, x+y, x+2y+z, x+3y+3z … modulo m, by three numbers of it.
//
// Purpose:   what filters that pick places so claim wrongly. Some keys have fewer than k different places, the more
//            the smaller m is: of 32 bits and 7 places, half full, four times what k free choices would claim.
// Cost:      of small filters up to some ten million steps; else microseconds.
// Guarantee: shares are exact while m·k is at most 2^18, and to the first order in 1/m beyond. What a filter claims
//            as it stands is exact while m³·k/64 is at most 2^25 (for k=7, to 640 bits); beyond, all sets of as
//            many ones are taken to be alike. `triple_rate` takes the ones to lie anywhere, though keys have set
//            them: of 32 bits and three keys it is 8 % low. Of few bits and many places, filters differ much.
// Citation:  Dillinger, Manolios 2004, Bloom filters in probabilistic verification.
//
//     const auto places = bloomery::math::triple_places(32, 7);
//     assert(places[7] > 0.65 && places[7] < 0.66);
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::math {

// Element d, for d = 0..k: the share of keys that have d different places.
std::vector<double> triple_places(std::uint64_t m, std::uint64_t k);

// Of m bits that n keys have set.
double triple_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// Of a filter as it stands, whose bits are in m / 8 bytes, the lowest first.
double triple_instance_rate(byte_view bits, std::uint64_t k);

}  // namespace bloomery::math
