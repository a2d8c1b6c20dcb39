// Deletability: how likely a key of a deletable filter can be removed. m bits in all, of which r mark
// the regions where keys have collided; the other m - r are hashed into, in r regions of equal size.
//
// Purpose:   the literature's estimate, the law that members obey, and sizes.
// Cost:      microseconds; the plan milliseconds.
// Guarantee: the law of members is the limit for many keys (bits of different regions independent):
//            within 1/n or so. r below m/2, m, n and k as for a filter, or errc::invalid.
// Citation:  Rothenberg et al. 2010 (Tarkoma §III-D, Fig. 7); that a member's own bit must not be hit
//            again, which the estimate leaves out, is ours: docs/filters/deletable.md.
//
//     const double estimate = bloomery::math::deletability(16'000, 500, 1000, 4);
//     assert(std::abs(estimate - 0.882) < 0.0005);
//     assert(std::abs(bloomery::math::deletable_share(16'000, 500, 1000, 4) - 0.796) < 0.0005);
#pragma once

#include <cstdint>

namespace bloomery::math {

// 1-(1-p^L)^k, p the chance that a bit is hit at most once by n keys and L = (m-r)/r the bits of a
// region: the chance that one of k random regions is without a collision. What the survey draws.
double deletability(std::uint64_t m, std::uint64_t r, std::uint64_t n, std::uint64_t k);

// The share of n distinct members that could be removed. The region of a member's bit is without a
// collision if no other key hits that bit, and at most one each of the rest.
double deletable_share(std::uint64_t m, std::uint64_t r, std::uint64_t n, std::uint64_t k);

// The share that the plan aims at, and the fewest bits to a region that it goes down to for it.
inline constexpr double planned_deletable = 0.9;
inline constexpr std::uint64_t least_region_bits = 3;

struct deletable_size {
  std::uint64_t bits;  // the regions' included
  std::uint64_t hashes;
  std::uint64_t regions;
  double rate;
};
deletable_size plan_deletable(std::uint64_t keys, double rate);

}  // namespace bloomery::math
