#include "bloomery/math/laws/map_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double least_map_bits(std::uint64_t values, double rate) {
  require_whole("values", values, 1, max_map_values);
  require_share("the false-positive rate", rate);
  return std::log2(real(values) / rate);
}

double deterministic_map_bits(std::uint64_t keys_each, double universe) {
  require_whole("keys", keys_each, 1, max_keys);
  const auto n = real(keys_each);
  if (!(universe >= 2 * n)) {
    fail(errc::invalid, "the universe has " + format_real(universe) + " keys; allowed: the " +
                            format_real(2 * n) + " of both values, and more");
  }
  return std::max(0.0, n - 2 + std::log2(std::log2(universe - n + 2)));
}

unsigned value_bits(std::uint64_t limit) {
  require_whole("values", limit, 1, max_map_values);
  return static_cast<unsigned>(std::bit_width(limit - 1));
}

}  // namespace bloomery::math
