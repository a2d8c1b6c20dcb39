#include "bloomery/math/kinds/counter_braids.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/peeling.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

std::uint64_t wrapping(std::uint64_t counters) {
  return static_cast<std::uint64_t>(std::ceil(planned_wraps * real(counters)));
}

// The fewest counters for which the chance to be in a 2-core is at most `rate`. For many keys it falls from
// 1 to almost nothing at about as many a key.
std::uint64_t fewest(std::uint64_t keys, double rate, std::uint64_t k) {
  constexpr std::uint64_t most = max_bits / 64;
  constexpr double enough = 1.512;  // counters a key
  core_bound bound(keys, k);
  const auto below = [&](double guess, double slope, auto log_chance) {
    return smallest_below(guess, most, slope,
                          [&](std::uint64_t m) { return log_chance(m) - std::log(rate); });
  };
  // Small sets, or large ones, make up nearly all of it.
  const double steep = -std::max(2.0, 0.6 * real(keys));
  const auto many = below(enough * real(keys), steep,
                          [&](std::uint64_t m) { return bound.log_chance_of_many(m); });
  const double each = std::pow(real(keys) / rate, 1.0 / 3);
  const auto few = below(std::max(each, real(many.value_or(1))), -3,
                         [&](std::uint64_t m) { return bound.log_chance_of_few(m); });
  const std::uint64_t guess = std::max(many.value_or(most), few.value_or(most));
  const auto counters = below(real(guess), few > many ? -3 : steep,
                              [&](std::uint64_t m) { return bound.log_chance(m); });
  if (!counters) {
    fail(errc::limit, "no braid of " + std::to_string(most) + " counters reaches a rate of " +
                          format_ratio(rate));
  }
  return *counters;
}

}  // namespace

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
  size.first = fewest(keys, (1 - of_second) * rate, k);
  const std::uint64_t wrapped = wrapping(size.first);
  size.second = fewest(wrapped, of_second * rate / (real(k) * planned_wraps), k);
  return size;
}

}  // namespace bloomery::math
