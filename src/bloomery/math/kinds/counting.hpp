// How high the counters of a counting filter climb: m counters, `increments` = k·n in all, each to a
// counter drawn uniformly and independently.
//
// Purpose:   how wide a counter must be: the law of one counter, the bounds of the literature, and
//            the true chance that any counter overflows.
// Cost:      microseconds; milliseconds for loads of ten thousand, a second for loads of a million on
//            only a handful of counters.
// Guarantee: tails keep their digits however small (down to 1e-290): one counter's to 1e-12
//            relative, any counter's to 1e-11, for m to max_bits. Loads (increments per counter)
//            above 2^20 throw errc::invalid.
// Citation:  Tarkoma eqs. 13–17 and Broder–Mitzenmacher §2.5, with m·P(c >= j) before eq. 14, and
//            eq. 17 as what it is, P(φ>j) < P(φ=j-1) for one counter; Ficara et al. 2008. The true
//            probability is the multinomial's, by a contour integral that is ours.
//
//     const std::uint64_t m = 1'000'000, increments = 693'147;  // half of the counters are zero
//     const double one = bloomery::math::counter_tail(m, increments, 16);
//     assert(std::abs(one / 7.07e-17 - 1) < 1e-3);
//     assert(bloomery::math::overflow_probability(m, increments, 4) < 1e6 * one);
#pragma once

#include <cstdint>

namespace bloomery::math {

// P(c = j) and P(c >= j) of one counter (eq. 13).
double counter_probability(std::uint64_t m, std::uint64_t increments, std::uint64_t j);
double counter_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j);

// P(some counter >= j), and with j = 2^bits the chance that a counter of `bits` bits, 1 to 64,
// overflows. 1 - N!/m^N·[x^N](Σ_{i<j} x^i/i!)^m, as the Cauchy integral of e^{mx} minus that power:
// its coefficients are nonnegative, so on the circle through its saddle point nothing cancels.
double any_counter_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j);
double overflow_probability(std::uint64_t m, std::uint64_t increments, std::uint64_t bits);

// The narrowest counters, 2 to 16 bits, of which some overflows with at most this probability; 16 if
// none are wide enough. Sized for sets: repeats climb higher.
inline constexpr double planned_overflow = 1e-6;
std::uint64_t counter_bits(std::uint64_t m, std::uint64_t increments,
                           double probability = planned_overflow);

// Increments per counter when half of them are zero: where the plan of a standard filter ends up.
inline constexpr double half_fill_load = 0.693147180559945309;  // ln 2

// Bits of m counters in unary, a count of c as c ones and a zero (Ficara et al. 2010): one bit a
// counter and one an increment, 1.693·m at half fill.
double unary_bits(std::uint64_t m, double load = half_fill_load);

// m·P(c >= j), at most 1: never below any_counter_tail, and close to it while small.
double union_bound(std::uint64_t m, std::uint64_t increments, std::uint64_t j);

// The chance that a counter of `bits` bits overflows at some time, if the filter holds `sets` different
// sets of at most so many increments in its history, one after the other: the union bound of
// Broder–Mitzenmacher §2.5 over the sets, with the true chance for each instead of 1.37e-15·m. At most 1.
double overflow_over_sets(std::uint64_t m, std::uint64_t increments, std::uint64_t bits,
                          std::uint64_t sets);

// The bounds on P(some counter >= j) that need no computer, each looser than the one before, j >= 1.
// Not capped: above 1 they say nothing.
struct counter_bounds {
  double choose;        // m·C(kn,j)/m^j, eq. 14
  double power;         // m·(e·kn/(jm))^j, eq. 14
  double at_half_fill;  // m·(e·ln 2/j)^j, eq. 15: for kn <= m·ln 2 only
};
counter_bounds loose_bounds(std::uint64_t m, std::uint64_t increments, std::uint64_t j);

// Ficara's bounds for one counter of load α, j >= 1: P(c > j) < P(c = j-1), and the tighter
// P(c >= j) < α(j+1)/(j(j+1-α))·P(c = j-1). Derived for Poisson counters; where the binomial does
// not obey them (j below α + 1, or the sum of the ratios above 1) the answer is 1.
double ficara_bound(std::uint64_t m, std::uint64_t increments, std::uint64_t j);
double ficara_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j);

}  // namespace bloomery::math
