// Filters that forget by other means: stable cells, two buffers, signatures that are swept away.
//
// Purpose:   rates, misses and sizes of stable, double-buffered and variable-signature filters.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: the law of a single cell is exact at every moment; rates take a key's cells to be
//            independent, which is the limit for many cells. Of two buffers the rate is exact until the
//            first swap can happen, and a bound from there.
// Citation:  stable: Deng, Rafiei 2006 (Tarkoma §III-I); double buffering: Chang, Feng, Li 2004 (Tarkoma
//            §IV-L); signatures: Lu et al. 2005 (ibid.). The laws over time are ours.
//
//     const double p = bloomery::math::stable_decrements(1'000'000, 3, 1, 0.01);
//     assert(std::abs(p - 10.92) < 0.01);
//     assert(std::abs(bloomery::math::at_least_of(10, 8, 0.3) - 0.00159) < 1e-5);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

// --- Stable. With each arrival P cells in a row are taken one down and then K cells set to the highest
// value. Looking back from now, a cell is zero if it was taken down `highest` times since it was last
// set, or was never set.
struct stable_size {
  std::uint64_t cells;
  std::uint64_t hashes;      // K
  std::uint64_t highest;     // Max
  std::uint64_t decrements;  // P
};
// Expected share of cells that are not zero after this many arrivals, and in the limit.
double stable_fill(const stable_size& shape, std::uint64_t arrivals);
double stable_limit(const stable_size& shape);
double stable_rate(const stable_size& shape, std::uint64_t arrivals);
// The chance that a key is missed after this many further arrivals.
double stable_misses(const stable_size& shape, std::uint64_t gap);
// The P at which the rate converges to this one, to be rounded up (Deng, Rafiei, eq. 17).
double stable_decrements(std::uint64_t cells, std::uint64_t hashes, std::uint64_t highest,
                         double rate);
// The fewest bits at which the rate stays within `rate` and a key that comes again after `window` arrivals
// is missed at most so often. Cells of 1, 2 or 4 bits, which run down a word at a time.
inline constexpr double planned_misses = 0.01;
stable_size plan_stable(std::uint64_t window, double rate);

// --- Two buffers of m bits. Both are written once the active one is half full; when the other is, it
// takes over and the old one is cleared.
struct buffer_size {
  std::uint64_t bits;  // of each
  std::uint64_t hashes;
};
std::uint64_t half_full(std::uint64_t bits);  // bits set from which it is
// Arrivals that are surely remembered: fewer cannot fill half of an empty buffer.
std::uint64_t buffered_window(const buffer_size& shape);
// The rate after this many distinct arrivals, exact to twice the window and from there the highest
// ever: just before a swap, when three quarters of the active buffer are set.
double buffered_rate(const buffer_size& shape, std::uint64_t arrivals);
double buffered_peak(const buffer_size& shape);
// What it is at least, just before each swap.
double buffered_least_peak(const buffer_size& shape);
buffer_size plan_buffers(std::uint64_t window, double rate);

// --- Signatures. An arrival first clears `swept` bits in a row, by turns, then sets `marks` of the k
// bits of its key; present are keys with `needed` of the k.
struct signature_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  std::uint64_t marks;   // t
  std::uint64_t needed;  // q
  std::uint64_t swept;   // 0: never cleared
};
double at_least_of(std::uint64_t trials, std::uint64_t hits,
                   double p);  // P(Bin(trials, p) >= hits)
double signature_fill(const signature_size& shape, std::uint64_t arrivals);
double signature_rate(const signature_size& shape, std::uint64_t arrivals);
// The chance that a key that came to an empty filter is missed after this many further arrivals; in
// a fuller one it is not higher.
double signature_misses(const signature_size& shape, std::uint64_t gap);
query_cost signature_cost(const signature_size& shape, std::uint64_t arrivals);
// As plan_stable, with whole signatures (t = k).
signature_size plan_signatures(std::uint64_t window, double rate);

}  // namespace bloomery::math
