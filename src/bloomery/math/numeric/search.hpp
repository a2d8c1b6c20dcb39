// Where a condition that holds on one side begins or ends: how every plan finds its size.
//
// Guarantee: a condition is asked for at most twice as many numbers as the range has binary digits. It
//            must turn only once; what is said to hold or not at an end is not asked there.
//
//     const auto square = [](std::uint64_t x) { return x * x >= 300; };
//     assert(bloomery::math::smallest(10, 1000, square) == 18);
//     assert(bloomery::math::smallest_in(0, 1000, square) == 18);
//     assert(bloomery::math::largest_below(1000, [](std::uint64_t x) { return x * x < 300; }) == 17);
//     const auto root = bloomery::math::border(0, 300, [](double x) { return x * x < 300; });
//     assert(std::abs(root.middle() - std::sqrt(300)) < 1e-14);
#pragma once

#include <algorithm>
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
