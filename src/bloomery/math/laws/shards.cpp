#include "bloomery/math/laws/shards.hpp"

#include <cmath>
#include <limits>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {

std::uint64_t fullest_part(std::uint64_t keys, std::uint64_t parts, double chance) {
  require_whole("keys", keys, 1, max_keys);
  require_whole("parts", parts, 1, max_keys);
  require_share("chance", chance);
  if (parts == 1) return keys;
  const double share = 1 / real(parts);
  const std::uint64_t mean = keys / parts;
  const auto holds = [&](std::uint64_t most) {
    return most >= keys || binomial_upper(most + 1, keys, share) * real(parts) <= chance;
  };
  return mean == 0 && holds(0) ? 1 : smallest_in(mean, keys, holds);
}

estimate sum_of(std::span<const estimate> parts) {
  estimate sum;
  double below = 0;
  double above = 0;
  double least = 0;
  for (const estimate& part : parts) {
    sum.value += part.value;
    sum.saturated = sum.saturated || part.saturated;
    below += (part.value - part.low) * (part.value - part.low);
    above += (part.high - part.value) * (part.high - part.value);
    least += part.low;
  }
  if (sum.saturated) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {infinity, least, infinity, true};
  }
  sum.low = sum.value - std::sqrt(below);
  sum.high = sum.value + std::sqrt(above);
  return sum;
}

double rate_of_any(std::span<const double> rates) {
  double log_none = 0;
  for (const double rate : rates) log_none += std::log1p(-rate);
  return -std::expm1(log_none);
}

}  // namespace bloomery::math
