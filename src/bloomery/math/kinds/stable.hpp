// Stable filters: cells that are taken down at random, so that old keys fade and the rate converges.
//
// Purpose:   rate, misses and size.
// Cost:      microseconds; a plan takes a tenth of a millisecond, and up to three in windows of a few keys.
// Guarantee: the law of a single cell is exact at every moment; rates take cells to be
//            independent, which is the limit for many.
// Citation:  Deng, Rafiei 2006; Tarkoma §III-I. The law over time is ours.
//
//     const double p = bloomery::math::stable_decrements(1'000'000, 3, 1, 0.01);
//     assert(std::abs(p - 10.92) < 0.01);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/forgetting.hpp"

namespace bloomery::math {

// With each arrival P cells in a row are taken one down and then K cells set to the highest
// value. Looking back from now, a cell is zero if it was taken down `highest` times since it was last
// set, or was never set.
struct stable_size {
  std::uint64_t cells;
  std::uint64_t hashes;      // K
  std::uint64_t highest;     // Max
  std::uint64_t decrements;  // P
};
// Expected share of cells that are not zero after so many arrivals, and for ever.
double stable_fill(const stable_size& shape, std::uint64_t arrivals);
double stable_limit(const stable_size& shape);
double stable_rate(const stable_size& shape, std::uint64_t arrivals);
// The chance that a key is missed after so many further arrivals.
double stable_misses(const stable_size& shape, std::uint64_t gap);
// The P at which the rate converges to this one, to be rounded up (Deng, Rafiei, eq. 17).
double stable_decrements(std::uint64_t cells, std::uint64_t hashes, std::uint64_t highest,
                         double rate);
// The fewest bits at which the rate stays within `rate` and a key that comes again after `window` arrivals
// is missed at most planned_misses often. Cells of 1, 2 or 4 bits, which run down a word at a time.
stable_size plan_stable(std::uint64_t window, double rate);

}  // namespace bloomery::math
