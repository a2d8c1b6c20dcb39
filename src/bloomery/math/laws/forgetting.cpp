#include "bloomery/math/laws/forgetting.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {

double marked_rate(std::uint64_t m, std::uint64_t k, double keys) {
  require_filter(m, k);
  const double balls = std::ceil(std::min(real(k) * keys, real(max_items)));
  return cover_probability(m, k, static_cast<std::uint64_t>(balls));
}

std::optional<marked_size> fewest_units(
    double rate, std::uint64_t unit,
    const std::function<double(std::uint64_t, std::uint64_t)>& keys_of) {
  if (unit > max_bits) return std::nullopt;
  const std::uint64_t most = max_bits / unit;
  const auto units_for = [&](std::uint64_t k, double guess, auto rate_of) {
    return smallest_within(guess, most, rate, [&](std::uint64_t units) {
      return rate_of(units * unit, k, keys_of(units * unit, k));
    });
  };
  const auto textbook = [](std::uint64_t m, std::uint64_t k, double keys) {
    return std::pow(hit_probability(real(m), real(k) * keys), real(k));
  };
  std::optional<marked_size> best;
  const double halvings = -std::log2(rate);
  const auto last = static_cast<std::uint64_t>(std::clamp(halvings + 2, 1.0, real(max_hashes)));
  for (std::uint64_t k = std::max<std::uint64_t>(1, last / 2); k <= last; ++k) {
    const double guess = real(k) * keys_of(max_bits, k) / real(unit);
    const auto units = units_for(k, guess, textbook);
    if (units && (!best || *units < best->units)) best = marked_size{*units, k};
  }
  if (!best) return best;
  const auto exact = units_for(best->hashes, real(best->units), marked_rate);
  if (!exact) return std::nullopt;
  return marked_size{*exact, best->hashes};
}

void refuse_window(std::uint64_t keys, double rate) {
  fail(errc::limit, "no window of " + std::to_string(keys) + " keys within " +
                        format_size(max_bits / 8) + " reaches a rate of " + format_ratio(rate));
}

void refuse_window(std::uint64_t keys, double rate, const char* within) {
  fail(errc::limit, "no window of " + std::to_string(keys) + " keys reaches a rate of " +
                        format_ratio(rate) + " within " + within);
}

}  // namespace bloomery::math
