#include "bloomery/math/kinds/retouched.hpp"

#include <cmath>
#include <limits>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double retouched_share(double cleared_share, std::uint64_t hashes) {
  require_whole("hashes", hashes, 1, max_hashes);
  if (cleared_share == 0 || cleared_share == 1) return cleared_share;
  require_share("cleared_share", cleared_share);
  return -std::expm1(real(hashes) * std::log1p(-cleared_share));
}

double retouching_gain(double removed_share, double lost_share) {
  if (lost_share == removed_share) return 1;
  if (lost_share == 0) return std::numeric_limits<double>::infinity();
  return removed_share / lost_share;
}

}  // namespace bloomery::math
