// The generalized Bloom filter: a key sets k1 bits to 1 and then k0 bits to 0.
//
// Purpose:   errors of both sides. However full, and whatever it started from, a stranger is claimed no
//            more often than the limit; for that, keys are lost to later ones.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: the law of a single bit is exact, as is that of how many different bits a key has; rates
//            take those bits to be independent, which is the limit for many bits.
// Citation:  Laufer, Velloso, Duarte 2005; Tarkoma §III-R. The papers put the mean number of a key's
//            different bits in the exponent; here it is the mean of the power.
//
//     const bloomery::math::generalized_size size{4000, 3, 3};
//     assert(std::abs(bloomery::math::generalized_limit(size) - 0.0157) < 5e-5);
//     assert(bloomery::math::generalized_rate(size, 300) < 0.0157);
//     assert(bloomery::math::generalized_misses(size, 0) < 1e-12);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery::math {

struct generalized_size {
  std::uint64_t bits;
  std::uint64_t zeros;  // k0
  std::uint64_t ones;   // k1
};
// Expected share of ones after n keys in a filter that had the share `start`, and in the limit.
double generalized_fill(const generalized_size& size, std::uint64_t n, double start = 0);
double generalized_limit_fill(const generalized_size& size);
// That a stranger is claimed by a filter of this fill; after n keys; and after any number of them,
// whatever the filter was before.
double generalized_instance_rate(const generalized_size& size, double fill);
double generalized_rate(const generalized_size& size, std::uint64_t n, double start = 0);
double generalized_limit(const generalized_size& size);
// The chance that a key is missed when this many others have come since.
double generalized_misses(const generalized_size& size, std::uint64_t age);
// Keys that came to an empty filter, from how many of its bits are ones: saturated at the limit. The
// interval takes bits to be independent; they are less than that, so it errs on the wide side.
estimate generalized_keys(const generalized_size& size, std::uint64_t ones,
                          double confidence = default_confidence);
query_cost generalized_cost(const generalized_size& size, std::uint64_t n);
// The fewest bits at which n keys keep the rate and the oldest of them is missed at most planned_misses
// (math/laws/forgetting.hpp) of the time.
generalized_size plan_generalized(std::uint64_t keys, double rate);

}  // namespace bloomery::math
