#include "bloomery/math/laws/collisions.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

// Keys of two lengths differ by a multiple of a random word: 2^-64. Keys of one length have a block that
// differs; if its NH does, 2^-64 aside, then so do two polynomials whose degree is below 2·blocks.
double universal_collision(std::uint64_t bytes) {
  constexpr int word_bits = 64;
  constexpr int point_bits = 124;
  const std::uint64_t blocks = bytes / universal_block + 1;
  const double roots = bytes <= universal_block ? 0 : std::ldexp(2 * real(blocks), -point_bits);
  return std::ldexp(1.0, -word_bits) + roots;
}

double any_collision(std::uint64_t keys, std::uint64_t bytes) {
  if (keys < 2) return 0;
  return std::min(1.0, real(keys) * (real(keys) - 1) / 2 * universal_collision(bytes));
}

}  // namespace bloomery::math
