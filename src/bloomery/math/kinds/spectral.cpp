#include "bloomery/math/kinds/spectral.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double delta_code_bits(double load) {
  assert(load >= 0 && load < 700);  // beyond, exp(-load) is no longer a number to begin with
  double bits = 0;
  double chance = std::exp(-load);
  double left = 1;
  constexpr double negligible = 1e-12;
  for (std::uint64_t value = 0; left > negligible; ++value) {
    const auto length = static_cast<unsigned>(std::bit_width(value + 1));
    const auto length_of_length = static_cast<unsigned>(std::bit_width(length));
    bits += chance * (2 * length_of_length - 1 + length - 1);
    left -= chance;
    chance *= load / real(value + 1);
    if (real(value) > load && chance < negligible) break;
  }
  return bits;
}

}  // namespace bloomery::math
