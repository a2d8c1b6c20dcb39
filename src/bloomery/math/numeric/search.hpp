// The smallest whole number that will do: how every plan finds its size.
//
//     const auto root = bloomery::math::smallest(
//         10, 1000, [](std::uint64_t x) { return x * x >= 300; });
//     assert(root == 18);
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

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
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace bloomery::math
