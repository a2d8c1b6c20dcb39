// The emptiest of several filters: the same keys under N seeds, of which the one with the fewest ones
// is kept.
//
// Purpose:   rate and size of the best-of-n filter, and how little it gains in large ones.
// Cost:      tens of microseconds, some hundreds for small filters; a plan takes milliseconds.
// Guarantee: E[ρ^k] for the least fill ρ of N independent ones. Small filters by the exact law of
//            occupied bins; larger ones by the normal law with exact mean and variance, which at the
//            smallest of them is 1e-3 off, and less the larger.
// Citation:  Jimeno, Christensen, Roginsky 2007; the order statistic is ours.
//
//     const double one = bloomery::math::best_of_rate(256, 16, 11, 1);
//     assert(std::abs(one - bloomery::math::exact_rate(256, 16, 11)) < 1e-15);
//     assert(bloomery::math::best_of_rate(256, 16, 11, 100) < one / 2);
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::math {

// Element i, for i = 0..min(m, balls): the chance that `balls` balls in m bins occupy i of them. O(m·
// balls) at worst; far less where m is large, since what is below 1e-30 is left out.
std::vector<double> occupied_law(std::uint64_t m, std::uint64_t balls);

// The same of the least of `seeds` such throws.
std::vector<double> fewest_occupied_law(std::uint64_t m, std::uint64_t balls, std::uint64_t seeds);
// How many ones the filter has that is kept, on average: exact, at the cost of the law.
double fewest_ones(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seeds);

double best_of_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seeds);
// By the normal law, whatever the size.
double best_of_rate_normal(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seeds);

struct best_of_size {
  std::uint64_t bits;
  std::uint64_t hashes;
};
best_of_size plan_best_of(std::uint64_t keys, double rate, std::uint64_t seeds);

}  // namespace bloomery::math
