// How far off the counts of a multiset sketch are.
//
// Purpose:   sizes and errors of the structures that say how often a key occurred.
// Cost:      nothing to speak of.
// Guarantee: exact where the comment says so; arguments out of range throw errc::invalid.
// Citation:  count-min: Cormode, Muthukrishnan 2005, Theorem 1; adaptive: Matsumoto, Hazeyama,
//            Kadobayashi 2008, with the rate derived here.
//
//     const auto size = bloomery::math::count_min_for(0.01, 0.01);
//     assert(size.width == 272 && size.depth == 5);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct count_min_size {
  std::uint64_t width;
  std::uint64_t depth;
};

// ⌈e/ε⌉ by ⌈ln 1/δ⌉: a count of N in all is more than ε·N too high with probability δ at most.
count_min_size count_min_for(double epsilon, double delta);

// What a width and a depth promise: ε = e/w, δ = e^-d.
double count_min_epsilon(std::uint64_t width);
double count_min_delta(std::uint64_t depth);

// The rate of an adaptive filter of m bits after n distinct keys. It is a Bloom filter but for keys
// that were claimed when they came, which set one more bit. How many bits those are is the solution
// of the differential equation for the expected fill; given that, the rate is the exact one.
double adaptive_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// By how much it overshoots a key's count, on average, with a fraction `fill` of its bits set: the
// length of a run of ones, fill/(1-fill).
double adaptive_overshoot(double fill);

struct adaptive_size {
  std::uint64_t bits;
  std::uint64_t hashes;
};
adaptive_size plan_adaptive(std::uint64_t keys, double rate);

}  // namespace bloomery::math
