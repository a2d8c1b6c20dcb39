// Double-buffered filters: two buffers, the second of which takes over when it is half full.
//
// Purpose:   window, rate and size.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: the rate is exact until the first swap can happen, and a bound from there.
// Citation:  Chang, Feng, Li 2004; Tarkoma §IV-L. The law over time is ours.
//
//     assert(bloomery::math::buffered_window({1000, 5}) == 100);
//     assert(std::abs(bloomery::math::buffered_peak({1'000'000, 5}) - std::pow(0.75, 5)) < 1e-4);
#pragma once

#include <cstdint>

namespace bloomery::math {

// Two buffers of m bits. Both are written once the active one is half full; when the other is, it
// takes over and the old one is cleared.
struct buffer_size {
  std::uint64_t bits;  // of each
  std::uint64_t hashes;
};
// Bits set from which it is.
constexpr std::uint64_t half_full(std::uint64_t bits) {
  return (bits + 1) / 2;
}
// Arrivals that are surely remembered: fewer cannot fill half of an empty buffer.
constexpr std::uint64_t buffered_window(const buffer_size& shape) {
  return (half_full(shape.bits) + shape.hashes - 1) / shape.hashes;
}
// The rate after so many distinct arrivals, exact to twice the window and from there the highest there
// is: just before a swap, when three quarters of the active buffer are set.
double buffered_rate(const buffer_size& shape, std::uint64_t arrivals);
double buffered_peak(const buffer_size& shape);
// What it is at least, just before each swap.
double buffered_least_peak(const buffer_size& shape);
buffer_size plan_buffers(std::uint64_t window, double rate);

}  // namespace bloomery::math
