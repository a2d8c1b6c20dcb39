// Binomial coefficients and probabilities, term by term.
//
// Purpose:   few terms of a law of many trials, whose number need not be whole.
// Guarantee: sums of nonnegative terms, each from the one before: small ones keep their digits. Tails
//            of many terms are in special.hpp.
//
//     assert(std::abs(bloomery::math::at_least_of(10, 8, 0.3) - 0.00159) < 1e-5);
//     assert(bloomery::math::binomial(30, 15) == 155'117'520);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

// Of n things, k, as long as k times that does not overflow.
constexpr std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = k <= n ? 1 : 0;
  for (std::uint64_t i = 1; i <= k && k <= n; ++i) result = result * (n - k + i) / i;
  return result;
}

// ln P(Bin(n, p) = i), 0 < p < 1.
double log_binomial(double n, double i, double p);

// Calls visit(j, P(Bin(trials, p) = j)) for j = 0, 1, … while wanted(j); p < 1, and beyond a mean of 700
// the first of them vanish.
template <class Visit, class Wanted>
void each_binomial(double trials, double p, Visit visit, Wanted wanted) {
  double term = std::exp(trials * std::log1p(-p));
  const double odds = p / (1 - p);
  for (std::uint64_t j = 0; wanted(j, term); ++j) {
    visit(j, term);
    term *= std::max(0.0, trials - real(j)) / real(j + 1) * odds;
  }
}

// P(Bin(trials, p) >= hits) for few hits, whatever the number of trials.
double at_least_of(double trials, std::uint64_t hits, double p);

}  // namespace bloomery::math
