// The mean over blocks of something that depends on how many keys a block got.
//
// Purpose:   n keys each pick one of b blocks, so the load of the block a query meets is binomial.
// Cost:      one call per load that matters: about 25 standard deviations of them.
// Guarantee: rate_at is called with each load once, in rising order. Relative to the mode and
//            normalised by their own sum, so that no factorial arises.
//
//     const double mean = bloomery::math::mean_over_loads(10, 50, bloomery::math::real);
//     assert(std::abs(mean - 5) < 1e-12);
#pragma once

#include <algorithm>
#include <cstdint>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

template <class RateAt>
double mean_over_loads(std::uint64_t blocks, std::uint64_t n, RateAt rate_at) {
  if (blocks == 1) return rate_at(n);
  constexpr double negligible = 1e-30;  // of the mode's weight
  const double odds = 1 / (real(blocks) - 1);
  const auto mode = static_cast<std::uint64_t>((real(n) + 1) / real(blocks));
  std::uint64_t first = std::min(mode, n);
  double first_weight = 1;
  while (first > 0) {
    const double weight =
        first_weight * real(first) / (real(n - first) + 1) / odds;  // P(first-1) / P(first)
    if (weight < negligible) break;
    first_weight = weight;
    --first;
  }
  double weight = first_weight;
  double total = 0;
  double sum = 0;
  for (std::uint64_t load = first;; ++load) {
    total += weight;
    sum += weight * rate_at(load);
    if (load == n) break;
    weight *= real(n - load) / real(load + 1) * odds;
    if (load >= mode && weight < negligible) break;
  }
  return sum / total;
}

}  // namespace bloomery::math
