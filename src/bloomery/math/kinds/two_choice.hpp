// Two-choice filters: a key sets the one of its d sets of positions that adds the fewest ones, and a
// query must try every set.
//
// Purpose:   fill, rate, cost and size.
// Cost:      tens of microseconds; a plan takes a few milliseconds.
// Guarantee: fill and cost are the limit for many bits, by the law of laws/choices.hpp. The rate is exact
//            for few keys (at least 8, and 512 positions set), and beyond them to the second order.
// Citation:  Lumetta, Mitzenmacher 2007; Tarkoma §II-C.
//
//     const double two = bloomery::math::two_choice_rate(16'000'000, 1'000'000, 13, 2);
//     assert(std::abs(two - 3.93e-4) < 1e-6);
//     assert(two < bloomery::math::asymptotic_rate(16'000'000, 1'000'000, 11));
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

struct two_choice_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  double rate;
};
// The share of ones after n keys of k bits each, the best of d sets.
double two_choice_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d);
// The mean of 1-(1-fill^k)^d: a stranger is claimed if any of its d sets is all ones.
double two_choice_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d);
double two_choice_instance_rate(double fill, std::uint64_t k, std::uint64_t d);
// Sets are tried in order, and a key lies in any of them alike.
query_cost two_choice_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d);
two_choice_size plan_two_choice(std::uint64_t keys, double rate, std::uint64_t d);

}  // namespace bloomery::math
