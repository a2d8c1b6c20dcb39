// Adaptive filters: a key that is claimed when it comes sets one bit more, so that runs count.
//
// Purpose:   rate, size and overshoot of the counts.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: the rate is exact given the fill, which is expected: within 1/m of the exact chain's.
// Citation:  Matsumoto, Hazeyama, Kadobayashi 2008, with rate and overshoot derived here.
//
//     assert(bloomery::math::adaptive_overshoot(20, 0.5, 0.5) == 20);
//     assert(bloomery::math::adaptive_rate(1000, 0, 7) == 0);
#pragma once

#include <cstdint>

namespace bloomery::math {

// The rate of an adaptive filter of m bits after n distinct keys. It is a Bloom filter but for keys
// that were claimed when they came, which set one more bit. How many bits those are is the solution
// of the differential equation for the expected fill; given that, the rate is the exact one.
double adaptive_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// By how much the count of a key that came `count` times is too high, on average, below the cap. Each
// repeat sets the first zero that it finds and passes over the ones before it, and so does the
// question: a run of fill/(1-fill) ones, by the fill of the time, `when_repeated` or `when_asked`. So it
// is once fill/(1-fill) if all others come after the key, and `count` times that if they came before.
// A key that was claimed when it came first, as a stranger is, has one repeat more.
constexpr double adaptive_overshoot(std::uint64_t count, double when_repeated, double when_asked) {
  const double run_then = when_repeated / (1 - when_repeated);
  const double run_now = when_asked / (1 - when_asked);
  return static_cast<double>(count - 1) * run_then + run_now;
}

struct adaptive_size {
  std::uint64_t bits;
  std::uint64_t hashes;
};
adaptive_size plan_adaptive(std::uint64_t keys, double rate);

}  // namespace bloomery::math
