// Locality-sensitive hashing: how likely one function gives two points the same value.
//
// Purpose:   the collision probability of each family of hash/lsh.hpp at a distance; g functions
//            together collide with its g-th power.
// Guarantee: exact, over the choice of the function.
// Citation:  Hamming, a sampled bit: Indyk, Motwani 1998, Gionis, Indyk, Motwani 1999; Jaccard, the
//            least of a random order: Broder 1997; Euclid, a Gaussian projection cut into buckets:
//            Datar, Immorlica, Indyk, Mirrokni 2004.
//
//     assert(bloomery::math::hamming_collision(0.25) == 0.75);
//     const double at_width = bloomery::math::euclidean_collision(1, 1);
//     assert(0.36 < at_width && at_width < 0.37);
#pragma once

namespace bloomery::math {

double hamming_collision(double differing_share);
double jaccard_collision(double distance);
double euclidean_collision(double distance, double width);

}  // namespace bloomery::math
