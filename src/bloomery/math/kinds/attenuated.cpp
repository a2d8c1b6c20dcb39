#include "bloomery/math/kinds/attenuated.hpp"

#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {

double attenuated_rate(std::uint64_t bits, std::uint64_t hashes, std::uint64_t levels,
                       std::uint64_t keys) {
  const std::uint64_t each = keys / levels;
  const double fewer = exact_rate(bits, each, hashes);
  if (levels == 1) return fewer;
  const double more = exact_rate(bits, each + 1, hashes);
  const auto with_more = real(keys % levels);
  return 1 - (1 - at_least_once(fewer, real(levels) - with_more)) *
                 (1 - at_least_once(more, with_more));
}

standard_size plan_attenuated(std::uint64_t levels, std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const double each = levels == 1 ? rate : at_least_once(rate, 1 / real(levels));
  standard_size size = plan_standard((keys - 1) / levels + 1, each);
  while ((size.rate = attenuated_rate(size.bits, size.hashes, levels, keys)) > rate) ++size.bits;
  return size;
}

double expected_score(std::uint64_t hashes, std::uint64_t relays, double decay, double fill) {
  const double survives = std::pow(decay, -real(relays));
  return real(hashes) * (survives + (1 - survives) * fill);
}

std::uint64_t noise_floor(std::uint64_t hashes, double fill, double chance) {
  std::uint64_t score = hashes + 1;
  while (score > 0 && binomial_upper(score - 1, hashes, fill) <= chance) --score;
  return score;
}

standard_size plan_scored(std::uint64_t hashes, std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const double guess = real(hashes) * real(keys) / -std::log1p(-scored_fill);
  const auto clear_enough = [&](std::uint64_t m) {
    return uniform_layout(m, hashes).expected_zeros(real(keys)) >= (1 - scored_fill) * real(m);
  };
  const auto keeps_rate = [&](std::uint64_t m) { return exact_rate(m, keys, hashes) <= rate; };
  auto bits = smallest(guess, max_bits, clear_enough);
  if (bits && !keeps_rate(*bits)) {
    bits = smallest(real(*bits), max_bits, keeps_rate);
  }
  if (!bits) {
    fail(errc::limit, "no filter within " + format_size(max_bits / 8) +
                          " stays empty enough with " + std::to_string(keys) + " keys");
  }
  return {*bits, hashes, exact_rate(*bits, keys, hashes)};
}

}  // namespace bloomery::math
