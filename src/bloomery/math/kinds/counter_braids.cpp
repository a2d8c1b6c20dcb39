#include "bloomery/math/kinds/counter_braids.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

std::uint64_t wrapping(std::uint64_t counters) {
  return static_cast<std::uint64_t>(std::ceil(planned_wraps * real(counters)));
}

// The fewest counters for which a chance that falls with them is at most `rate`.
template <class Chance>
std::uint64_t fewest(double rate, Chance chance) {
  constexpr std::uint64_t most = max_bits / 64;
  const auto counters = smallest(1, most, [&](std::uint64_t m) { return chance(m) <= rate; });
  if (!counters) {
    fail(errc::limit, "no braid of " + std::to_string(most) + " counters reaches a rate of " +
                          format_ratio(rate));
  }
  return *counters;
}

// The least of m·ln(e^z - z) - placed·ln z, nearly: a z that is not quite the best makes the bound no
// less true.
double log_no_single(double m, double placed) {
  const double load = placed / m;
  double z = std::max(load, std::sqrt(load));
  constexpr int rounds = 12;
  for (int i = 0; i < rounds; ++i) {
    z *= std::sqrt(load * (std::exp(z) - z) / (z * std::expm1(z)));
  }
  // e^z - z is 1 + z²/2 and more: no digits are lost for small z.
  return m * std::log1p(std::expm1(z) - z) - placed * std::log(z);
}

}  // namespace

double peeling_threshold(std::uint64_t k) {
  require_whole("hashes", k, 2, max_hashes);
  const auto power = real(k) - 1;
  const auto density = [&](double x) { return (power + 1) * std::pow(-std::expm1(-x), power) / x; };
  double low = 1e-9;
  double high = 20;
  while (high - low > 1e-9) {  // one maximum: by thirds
    const double third = (high - low) / 3;
    (density(low + third) < density(high - third) ? low : high) =
        density(low + third) < density(high - third) ? low + third : high - third;
  }
  return density(low);
}

double core_probability(std::uint64_t m, std::uint64_t keys, std::uint64_t k) {
  if (keys < 2) return 0;
  if (m < k) return 1;
  const auto n = real(keys);
  const auto counters = real(m);
  const auto each = real(k);
  double log_distinct = 0;
  for (std::uint64_t i = 1; i < k; ++i) log_distinct += std::log1p(-real(i) / counters);
  const auto log_term = [&](double s) {
    const double placed = each * s;
    const double avoiding = std::lgamma(placed + 1) - placed * std::log(counters) -
                            s * log_distinct + log_no_single(counters, placed);
    return std::lgamma(n) - std::lgamma(s) - std::lgamma(n - s + 1) + std::min(0.0, avoiding);
  };
  constexpr std::uint64_t one_by_one = 64;
  constexpr double step = 1.02;
  double total = 0;
  for (std::uint64_t s = 2; s <= std::min(keys, one_by_one); ++s) {
    total += std::exp(log_term(real(s)));
  }
  auto s = real(one_by_one);
  while (s < n) {
    const double next = std::min(n, std::ceil(s * step));
    total += (next - s) * std::exp(std::max(log_term(s), log_term(next)));
    s = next;
  }
  return std::min(1.0, total);
}

double braid_rate(const braid_size& size, std::uint64_t keys, std::uint64_t k) {
  if (keys == 0) return 0;
  const double wide = core_probability(size.second, wrapping(size.first), k);
  return std::min(1.0, core_probability(size.first, keys, k) + real(k) * planned_wraps * wide);
}

braid_size plan_braids(std::uint64_t keys, double rate) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  constexpr double of_second = 0.1;  // of the rate
  constexpr std::uint64_t k = 3;
  braid_size size{};
  size.first =
      fewest((1 - of_second) * rate, [&](std::uint64_t m) { return core_probability(m, keys, k); });
  size.second = fewest(of_second * rate / (real(k) * planned_wraps), [&](std::uint64_t m) {
    return core_probability(m, wrapping(size.first), k);
  });
  return size;
}

}  // namespace bloomery::math
