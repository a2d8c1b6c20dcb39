#include "bloomery/math/kinds/count_min.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

count_min_size count_min_for(double epsilon, double delta) {
  require_share("epsilon", epsilon);
  require_share("delta", delta);
  const double width = std::ceil(M_E / epsilon);
  const double depth = std::max(1.0, std::ceil(-std::log(delta)));
  if (width > real(max_bits) || depth > real(max_hashes)) {
    fail(errc::limit, "no sketch is within " + format_real(epsilon) + " of the total but for " +
                          format_real(delta) + " of the time: it takes a width of " +
                          format_real(width) + " and a depth of " + format_real(depth));
  }
  return {static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(depth)};
}

double count_min_epsilon(std::uint64_t width) {
  return M_E / real(width);
}

double count_min_delta(std::uint64_t depth) {
  return std::exp(-real(depth));
}

double count_min_excess(std::uint64_t width, std::uint64_t depth, double confidence) {
  require_share("confidence", confidence);
  return std::pow(1 - confidence, -1 / real(depth)) / real(width);
}

double count_min_false_heavy(std::span<const std::uint64_t> counts, std::uint64_t threshold,
                             std::uint64_t width, std::uint64_t depth) {
  double total = 0;
  for (const std::uint64_t count : counts) total += real(count);
  double expected = 0;
  for (const std::uint64_t count : counts) {
    if (count >= threshold) continue;
    const double of_row = (total - real(count)) / (real(width) * real(threshold - count));
    expected += std::pow(std::min(1.0, of_row), real(depth));
  }
  return expected;
}

}  // namespace bloomery::math
