#include "bloomery/math/laws/map_values.hpp"

#include <bit>
#include <cmath>

#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double least_map_bits(std::uint64_t values, double rate) {
  require_whole("values", values, 1, max_map_values);
  require_share("the false-positive rate", rate);
  return std::log2(real(values) / rate);
}

unsigned value_bits(std::uint64_t limit) {
  require_whole("values", limit, 1, max_map_values);
  return static_cast<unsigned>(std::bit_width(limit - 1));
}

}  // namespace bloomery::math
