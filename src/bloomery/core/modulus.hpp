// Remainders by a number that stays the same: two multiplications each, and no division.
//
// Cost:      some 2 ns where a division by 64 bits takes up to 10.
// Guarantee: exact for every number and every modulus from 1 on, as `%` is.
// Citation:  Barrett 1986; the quotient that a reciprocal rounded down gives is at most one too small.
//
//     const bloomery::core::modulus ten(10);
//     assert(ten.of(12'345) == 5 && ten.value() == 10);
#pragma once

#include <cstdint>

#include "bloomery/core/int128.hpp"

namespace bloomery::core {

class modulus {
 public:
  modulus() = default;                             // 1
  explicit constexpr modulus(std::uint64_t value)  // not 0
      : value_(value), reciprocal_(UINT64_MAX / value) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  // With r the reciprocal, x/m - x·r/2^64 = x·(2^64/m - r)/2^64 is at least 0 and below 1, since r is at most 1
  // below 2^64/m: so is the difference of the quotients, rounded down, 0 or 1.
  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t x) const {
    const auto quotient = static_cast<std::uint64_t>(uint128{x} * reciprocal_ >> 64);
    const std::uint64_t rest = x - quotient * value_;
    return rest >= value_ ? rest - value_ : rest;
  }

 private:
  std::uint64_t value_ = 1;
  std::uint64_t reciprocal_ = UINT64_MAX;
};

}  // namespace bloomery::core
