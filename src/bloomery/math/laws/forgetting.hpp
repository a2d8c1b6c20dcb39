// What filters that forget have in common: how many misses they may have, cells that remember part of
// the keys, and what they say if a window cannot be had.
//
// Purpose:   a filter that runs down is a standard filter of m cells that has seen some number of keys,
//            not always a whole one: those that cells still remember.
// Cost:      microseconds; fewest_units takes milliseconds.
// Guarantee: exact rates, for any fraction of k balls a key.
//
//     assert(bloomery::math::marked_rate(500, 4, 60) == bloomery::math::exact_rate(500, 60, 4));
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "bloomery/math/numeric/binomial.hpp"

namespace bloomery::math {

// The share of keys that may be missed at the end of the window, in plans of kinds that may miss any.
inline constexpr double planned_misses = 0.01;

// The exact rate of m cells that k probes of each of `keys` keys have marked; fractions count.
double marked_rate(std::uint64_t m, std::uint64_t k, double keys);

// The mean of rate_of(share of cells that are filled) where each of m cells is filled with this probability,
// independently of the others: probes that meet the same cell count. Exact for few cells, and beyond to the
// fifth moment, as Gauss and Hermite weigh a normal law.
template <class RateOf>
double over_fills(std::uint64_t m, double fill, RateOf rate_of) {
  constexpr std::uint64_t few = 256;
  constexpr double negligible = 1e-30;
  if (fill <= 0 || fill >= 1) return rate_of(fill);
  double mean = 0;
  if (m <= few) {
    each_binomial(
        real(m), fill,
        [&](std::uint64_t j, double term) {
          if (term > negligible) mean += term * rate_of(real(j) / real(m));
        },
        [&](std::uint64_t j, double) { return j <= m; });
  } else {
    const double away = std::sqrt(3 * fill * (1 - fill) / real(m));
    mean = (4 * rate_of(fill) + rate_of(std::min(1.0, fill + away)) +
            rate_of(std::max(0.0, fill - away))) /
           6;
  }
  return std::min(1.0, mean);  // the terms are rounded
}

struct marked_size {
  std::uint64_t units;  // of `unit` cells
  std::uint64_t hashes;
};
// The fewest units, over all k, at which m cells hold keys_of(m, k) keys within the rate. The textbook's
// rate finds k, the exact one the size.
std::optional<marked_size> fewest_units(
    double rate, std::uint64_t unit,
    const std::function<double(std::uint64_t m, std::uint64_t k)>& keys_of);

// Throw errc::limit.
[[noreturn]] void refuse_window(std::uint64_t keys, double rate);
[[noreturn]] void refuse_window(std::uint64_t keys, double rate, const char* within);

}  // namespace bloomery::math
