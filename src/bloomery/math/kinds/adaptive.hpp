// Adaptive filters: a key that is claimed when it comes sets one bit more, so that runs count.
//
// Purpose:   rate, size and overshoot of the counts.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: the rate is exact given the fill, which is expected: within 1/m of the exact chain's.
// Citation:  Matsumoto, Hazeyama, Kadobayashi 2008, with the rate derived here.
//
//     assert(bloomery::math::adaptive_overshoot(0.5) == 1);
//     assert(bloomery::math::adaptive_rate(1000, 0, 7) == 0);
#pragma once

#include <cstdint>

namespace bloomery::math {

// The rate of an adaptive filter of m bits after n distinct keys. It is a Bloom filter but for keys
// that were claimed when they came, which set one more bit. How many bits those are is the solution
// of the differential equation for the expected fill; given that, the rate is the exact one.
double adaptive_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// By how much it overshoots a key's count, on average, with a fraction `fill` of its bits set: the
// length of a run of ones, fill/(1-fill).
constexpr double adaptive_overshoot(double fill) {
  return fill / (1 - fill);
}

struct adaptive_size {
  std::uint64_t bits;
  std::uint64_t hashes;
};
adaptive_size plan_adaptive(std::uint64_t keys, double rate);

}  // namespace bloomery::math
