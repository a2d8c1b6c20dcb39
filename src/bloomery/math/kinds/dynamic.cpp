#include "bloomery/math/kinds/dynamic.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double rows_rate(std::uint64_t m, std::uint64_t k, std::uint64_t row_keys, std::uint64_t keys) {
  require_whole("row_keys", row_keys, 1, max_keys);
  const std::uint64_t full_rows = keys / row_keys;
  const double full =
      full_rows == 0 ? 0 : std::log1p(-exact_rate(m, row_keys, k)) * real(full_rows);
  return 0 - std::expm1(full + std::log1p(-exact_rate(m, keys % row_keys, k)));
}

}  // namespace bloomery::math
