// Distance-sensitive filters: how often what is near is missed and what is far is claimed.
//
// Purpose:   k arrays, one hash of g locality-sensitive functions each; close if at least t arrays
//            have the bit. A plan finds g, k, t and the size of an array.
// Guarantee: near_miss_rate is exact for one stored point at that distance, and falls with more;
//            far_claim_rate is exact if arrays are hit apart, each with the chance given. array_hit
//            takes keys to collide independently, which is exact for those that cannot collide
//            (p2 = 0) and too much for keys alike; it is below the usual keys·(p2 + 1/m').
//            Collision probabilities are exact, over the choice of the function.
// Citation:  Kirsch, Mitzenmacher 2006; Tarkoma §III-S. Functions, Hamming, a sampled bit: Indyk,
//            Motwani 1998, Gionis, Indyk, Motwani 1999; Jaccard, the least of a random order: Broder
//            1997; Euclid, a Gaussian projection cut into buckets: Datar, Immorlica, Indyk, Mirrokni
//            2004.
//
//     namespace math = bloomery::math;
//     assert(math::hamming_collision(0.25) == 0.75);
//     assert(std::abs(math::near_miss_rate(20, 10, 0.8) - 5.6e-4) < 1e-5);
//     assert(std::abs(math::far_claim_rate(20, 10, 0.2) - 2.6e-3) < 1e-5);
#pragma once

#include <cstdint>

namespace bloomery::math {

// How likely one function of a family of hash/lsh.hpp gives two points at this distance the same value;
// g functions together do with its g-th power.
constexpr double hamming_collision(double differing_share) {
  return 1 - differing_share;
}
constexpr double jaccard_collision(double distance) {
  return 1 - distance;
}
double euclidean_collision(double distance, double width);

double near_miss_rate(std::uint64_t arrays, std::uint64_t threshold, double p1);
double far_claim_rate(std::uint64_t arrays, std::uint64_t threshold, double hit);

// That a stranger finds its bit of an array set: each of the keys shares its value with chance p2, or
// else its bit with 1/m'.
double array_hit(std::uint64_t keys, double p2, std::uint64_t array_bits);

struct distance_size {
  std::uint64_t functions;  // g
  std::uint64_t arrays;     // k
  std::uint64_t threshold;  // t
  std::uint64_t array_bits;
  double rate;
  double missed;
};

inline constexpr std::uint64_t max_arrays = 4096;
inline constexpr std::uint64_t max_functions = 64;

// For functions that collide with chance `near` where to claim and `far` where not to: at most
// `rate` of the far claimed and as few of the near missed. g and the load of an array are those
// that need the fewest bits by Chernoff's bound; k, t and then m' are the least that do by the
// exact tails. errc::limit if near and far are too close for this many keys.
distance_size plan_distance_sensitive(std::uint64_t keys, double rate, double near, double far);

}  // namespace bloomery::math
