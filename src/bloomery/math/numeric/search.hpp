// Where a condition that holds on one side begins or ends: how every plan finds its size.
//
// Guarantee: a condition is asked for at most twice as many numbers as the range has binary digits. It
//            must turn only once; what is said to hold or not at an end is not asked there.
//
//     const auto square = [](std::uint64_t x) { return x * x >= 300; };
//     assert(bloomery::math::smallest(10, 1000, square) == 18);
//     assert(bloomery::math::smallest_in(0, 1000, square) == 18);
//     const auto inverse = [](std::uint64_t x) { return 1 / static_cast<double>(x * x); };
//     assert(bloomery::math::smallest_within(10, 1000, 1.0 / 300, inverse) == 18);
//     assert(bloomery::math::largest_below(1000, [](std::uint64_t x) { return x * x < 300; }) == 17);
//     const auto root = bloomery::math::border(0, 300, [](double x) { return x * x < 300; });
//     assert(std::abs(root.middle() - std::sqrt(300)) < 1e-14);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

// The smallest number above `without`, which does not fit, and up to `with`, which does; or one that is
// larger by a share of 1/parts at most.
template <class Fits>
std::uint64_t smallest_in(std::uint64_t without, std::uint64_t with, Fits fits,
                          std::uint64_t parts = std::numeric_limits<std::uint64_t>::max()) {
  while (with - without > std::max<std::uint64_t>(1, with / parts)) {
    const std::uint64_t middle = without + (with - without) / 2;
    (fits(middle) ? with : without) = middle;
  }
  return with;
}

// The largest number below `over`, which does not fit; 0 does.
template <class Fits>
std::uint64_t largest_below(std::uint64_t over, Fits fits) {
  return smallest_in(0, over, [&](std::uint64_t x) { return !fits(x); }) - 1;
}

// The smallest size in 1..most for which a monotone `fits` holds, found by doubling steps away from
// a guess and then halving.
template <class Fits>
std::optional<std::uint64_t> smallest(double guess, std::uint64_t most, Fits fits) {
  std::uint64_t high = guess < real(most) ? static_cast<std::uint64_t>(std::max(1.0, guess)) : most;
  std::uint64_t low = 0;  // never fits
  std::uint64_t step = std::max<std::uint64_t>(1, high / 1024);
  if (fits(high)) {
    while (high - low > step && fits(high - step)) {
      high -= step;
      step *= 2;
    }
    low = high > step ? high - step : 0;
  } else {
    do {
      if (high == most) return std::nullopt;
      low = high;
      high = most - high > step ? high + step : most;
      step *= 2;
    } while (!fits(high));
  }
  return smallest_in(low, high, fits);
}

// The same where what must fit is the height of a curve over 0, which falls as sizes grow and is nearly
// straight in the logarithm of the size: following the line, at first of this slope, takes a few evaluations
// instead of tens. From the fourth on every second one halves, or doubles the step, in case that it is not.
template <class HeightOf>
std::optional<std::uint64_t> smallest_below(double guess, std::uint64_t most, double slope,
                                            HeightOf height_of) {
  constexpr int trusted = 4;
  constexpr double furthest = 4;    // e-folds of the size at once
  constexpr double nearest = 1e-6;  // of the size: closer points say little about the slope
  std::uint64_t size =
      guess < real(most) ? static_cast<std::uint64_t>(std::max(1.0, std::ceil(guess))) : most;
  std::uint64_t low = 0;          // never fits
  std::uint64_t high = most + 1;  // not known to fit
  double last_size = 0;
  double last_height = 0;
  for (int asked = 1;; ++asked) {
    const double height = height_of(size);
    const bool fits = height <= 0;
    const std::uint64_t step = fits ? 1 : size - low;
    (fits ? high : low) = size;
    if (high - low == 1) return high <= most ? std::optional(high) : std::nullopt;
    const double apart = std::log(real(size) / last_size);
    if (last_size > 0 && std::abs(apart) > nearest) {
      const double line = (height - last_height) / apart;
      if (line < 0 && std::isfinite(line)) slope = line;
    }
    last_size = real(size);
    last_height = height;
    const double folds = std::clamp(-height / slope, -furthest, furthest);
    const double aim = std::ceil(std::min(real(size) * std::exp(folds), real(most)));
    const bool halve = !std::isfinite(height) || (asked >= trusted && asked % 2 == 0);
    if (!halve) {
      size = std::clamp(static_cast<std::uint64_t>(aim), low + 1, high - 1);
    } else if (high <= most) {
      size = low + (high - low) / 2;
    } else {
      size = most - size > 2 * step ? size + 2 * step : most;
    }
  }
}

// The same for a rate, by its logarithm.
template <class RateOf>
std::optional<std::uint64_t> smallest_within(double guess, std::uint64_t most, double rate,
                                             RateOf rate_of) {
  const double slope = std::min(std::log(rate), -0.5);  // nearly, with the best number of hashes
  return smallest_below(guess, most, slope,
                        [&](std::uint64_t size) { return std::log(rate_of(size) / rate); });
}

struct bracket {
  double low;   // holds
  double high;  // does not

  [[nodiscard]] double middle() const { return low + (high - low) / 2; }
};

// What is left between `low`, where `holds` holds, and `high`, where it does not, after so many halvings
// or fewer: none below `apart`, nor where no number is left between.
template <class Holds>
bracket border(double low, double high, Holds holds, double apart = 0,
               int halvings = std::numeric_limits<int>::max()) {
  bracket now{low, high};
  for (; halvings > 0 && now.high - now.low > apart; --halvings) {
    const double middle = now.middle();
    if (middle <= now.low || middle >= now.high) break;
    (holds(middle) ? now.low : now.high) = middle;
  }
  return now;
}

}  // namespace bloomery::math
