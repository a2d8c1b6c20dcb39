// A whole number as a double.
//
// Guarantee: exact to 2^53, the nearest double beyond that.
//
//     assert(bloomery::math::real(3) / 2 == 1.5);
#pragma once

#include <cstdint>

namespace bloomery::math {

constexpr double real(std::uint64_t value) {
  return static_cast<double>(value);
}

}  // namespace bloomery::math
