// A key after hashing: 128 bits, all that any structure ever sees of it.
//
// The halves are independent and uniform; probe sequences rely on both.
//
//     constexpr bloomery::digest d{1, 2};
//     static_assert(d == bloomery::digest{1, 2} && d != bloomery::digest{2, 1});
//     static_assert(d < bloomery::digest{1, 3} && d < bloomery::digest{2, 0});
#pragma once

#include <cstdint>

namespace bloomery {

struct digest {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend constexpr bool operator==(const digest&, const digest&) = default;
  friend constexpr bool operator<(const digest& a, const digest& b) {
    return a.lo != b.lo ? a.lo < b.lo : a.hi < b.hi;
  }
};

}  // namespace bloomery
