// Variable-signature filters: signatures that are swept away, and known by a part of their bits.
//
// Purpose:   rate, misses, cost and size.
// Cost:      microseconds; a plan takes half a millisecond, and milliseconds for windows of a few.
// Guarantee: the law of a single bit is exact at every moment; rates take bits to be
//            independent, which is the limit for many.
// Citation:  Lu et al. 2005; Tarkoma §IV-L. The law over time is ours.
//
//     const bloomery::math::signature_size shape{2000, 10, 8, 6, 10};
//     assert(bloomery::math::signature_misses(shape, 0) == 0);
//     assert(bloomery::math::signature_misses(shape, 150) > 0.5);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/numeric/binomial.hpp"

namespace bloomery::math {

// An arrival first clears `swept` bits in a row, by turns, then sets `marks` of the k
// bits of its key; present are keys with `needed` of the k.
struct signature_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  std::uint64_t marks;   // t
  std::uint64_t needed;  // q
  std::uint64_t swept;   // 0: never cleared
};
double signature_fill(const signature_size& shape, std::uint64_t arrivals);
double signature_rate(const signature_size& shape, std::uint64_t arrivals);
// The chance that a key that came to an empty filter is missed after so many further arrivals; in a
// fuller one it is no higher.
double signature_misses(const signature_size& shape, std::uint64_t gap);
query_cost signature_cost(const signature_size& shape, std::uint64_t arrivals);
// The fewest bits at which the rate stays within `rate` and a key that comes again after `window` arrivals
// is missed at most planned_misses often, with whole signatures (t = k).
signature_size plan_signatures(std::uint64_t window, double rate);

}  // namespace bloomery::math
