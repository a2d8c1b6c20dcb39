// How close a filter's fill stays to its mean, and what that says of its rate.
//
// Purpose:   bounds that hold for every m, beside the moments that are exact; the fill that a sound
//            filter should show.
// Guarantee: azuma, chernoff, mcdiarmid and parted are proven bounds. Bose's is reported, never to be asserted: its
//            constant inside O() is unknown and taken as 1 here. expected_fill has exact moments
//            and assumes the normal law between them; its coverage is tested.
// Citation:  Azuma–Hoeffding and negative dependence as in Broder–Mitzenmacher §2.1, from Mitzenmacher 2002
//            and Dubhashi, Ranjan 1998; McDiarmid 1989,
//            each of the kn balls moving the fill by at most 1/m; Bose et al. 2008.
//
//     const double exact = 0.00819379440;  // of m=10^6, n=10^5, k=7
//     const double bound = bloomery::math::mcdiarmid_rate_bound(1'000'000, 100'000, 7);
//     assert(exact < bound && bound < 0.008436);
//     const auto layout = bloomery::math::uniform_layout(1'000'000, 7);
//     const auto fill = bloomery::math::expected_fill(layout, 100'000, 0.99);
//     assert(fill.low < 0.5034 && 0.5034 < fill.high && fill.high - fill.low < 0.002);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/occupancy.hpp"

namespace bloomery::math {

// P(the fill is `epsilon` or more off its mean) <= 2·e^{-2ε²m²/(kn)}, at most 1.
double azuma_tail(std::uint64_t m, std::uint64_t n, std::uint64_t k, double epsilon);

// The deviation that azuma_tail allows with probability 1 - confidence. Above 1 it says nothing.
double azuma_deviation(std::uint64_t m, std::uint64_t n, std::uint64_t k, double confidence);

// The exact rate is at most min over t of (p+t)^k + e^{-2t²m²/(kn)}, p the mean fill; at most 1. The
// minimum is sought where both terms are convex, t >= √(kn)/2m: before that the bound exceeds ½.
double mcdiarmid_rate_bound(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// p^k < exact rate <= p^k·(1 + O(term)), term = (k/p)·√((ln m - k·ln p)/m), for k >= 2 and where the
// term `applies`, being below 1. `upper` has O(term) = term, at most 1.
struct bose_bound {
  double lower;
  double upper;
  double term;
  bool applies;
};
bose_bound bose_rate_bound(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// P(the rate of a filter of so many independent parts is `rate` or more) <= e^{-parts·KL(rate|expected)}
// if `expected` is expected of it, and 1 up to there: a query is answered by one part alone, and parts
// share the keys among them. Chernoff's bound for binomials holds for any shares between 0 and 1
// (Hoeffding 1963), and for loads, which are negatively associated (Joag-Dev, Proschan 1983).
double parted_rate_tail(double parts, double expected, double rate);

// The fraction of ones, and the ends between which it lies with the given confidence.
struct fill_range {
  double mean;
  double low;
  double high;
};

// By Chernoff's bound: a bit that is set makes the others less likely to be (negative dependence), so
// that the tails of the fill are no heavier than those of m independent bits, e^{-m·KL(x|p)}. Each end is
// passed with probability (1 - confidence)/2 at most. Narrower than Azuma's for more than 1.3 balls a bit.
fill_range chernoff_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, double confidence);

fill_range expected_fill(const bit_layout& layout, double keys, double confidence);

}  // namespace bloomery::math
