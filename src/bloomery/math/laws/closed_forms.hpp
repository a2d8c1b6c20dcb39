// The closed forms of the exact rate, for small filters: sums that cancel, in whole numbers.
//
// Purpose:   to check figures against the literature term by term; `exact_rate` is the same number for
//            filters of any size, in microseconds.
// Cost:      tens of milliseconds for the largest.
// Guarantee: exact but for the last division, 1e-15. m is 1 to closed_form_bits, k·n at most
//            closed_form_balls, or errc::invalid: in doubles, hundreds of digits would cancel there.
// Citation:  Christensen, Roginsky, Jimeno 2010, eqs. 10, 18 and 20; the last is Bose et al. 2008 with
//            its sign corrected.
//
//     const double rate = bloomery::math::closed_form_rate(32, 4, 6);
//     assert(std::abs(rate - 0.0261751) < 5e-8);
//     assert(std::abs(bloomery::math::stirling_rate(32, 4, 6) / rate - 1) < 1e-14);
//     assert(std::abs(bloomery::math::occupied_probability(3, 2, 2) - 2.0 / 3) < 1e-15);
#pragma once

#include <cstdint>

namespace bloomery::math {

inline constexpr std::uint64_t closed_form_bits = 256;
inline constexpr std::uint64_t closed_form_balls = 512;

// Whether the closed forms are there for such a filter.
bool has_closed_form(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// P(N, M, K), eq. 10: of m bins at which `balls` balls are thrown, exactly `occupied` are hit.
double occupied_probability(std::uint64_t m, std::uint64_t balls, std::uint64_t occupied);

// Eq. 18: Σ_i Σ_j (-1)^(i-j) C(m,i)·C(i,j)·j^(kn)·i^k / m^(k(n+1)).
double closed_form_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// Eq. 20: Σ_i i^k·i!·C(m,i)·{kn over i} / m^(k(n+1)), Stirling numbers of the second kind by their
// recurrence, in which nothing cancels.
double stirling_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

}  // namespace bloomery::math
