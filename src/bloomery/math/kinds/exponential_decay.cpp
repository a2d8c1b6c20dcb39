#include "bloomery/math/kinds/exponential_decay.hpp"

#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {

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
