#include "bloomery/math/kinds/golomb.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

double range(const golomb_size& size) {
  return real(size.sections) * real(size.width);
}

// Values with a quotient of at least i: they are used, and the i·2^r before them, in the section, not.
double with_quotient(const golomb_size& size, double n, unsigned i) {
  const double before = real(i) * std::exp2(real(size.rice_bits));
  if (before >= real(size.width)) return 0;
  const double others = range(size) - before;
  return real(size.sections) * (real(size.width) - before) *
         std::exp(n * std::log1p(-before / range(size))) * hit_probability(others, n);
}

// Room that codes outgrow only once in 1/golomb_failure: the quotients of n independent gaps, the
// failures before n successes, and the few that are written whole.
std::uint64_t code_room(const golomb_size& size, std::uint64_t keys) {
  const double longer = std::exp(-std::exp2(real(size.rice_bits)) * real(keys) / range(size));
  const auto quotients = smallest(2 * real(keys) * longer / (1 - longer), max_bits, [&](auto x) {
    return binomial_lower(keys - 1, keys + x, 1 - longer) <= golomb_failure;
  });
  const double cut = std::pow(longer, longest_quotient);
  const auto whole = smallest(real(keys) * cut, max_bits, [&](auto x) {
    return x > keys || binomial_upper(x, keys, cut) <= golomb_failure;
  });
  return keys * (size.rice_bits + 1) + quotients.value_or(max_bits) +
         whole.value_or(keys) * size.count_bits();
}

}  // namespace

unsigned golomb_size::count_bits() const {
  return static_cast<unsigned>(std::bit_width(width - 1));
}

double golomb_rate(const golomb_size& size, std::uint64_t keys) {
  return hit_probability(range(size), real(keys));
}

double rice_bits_per_value(double gap, std::uint64_t rice_bits) {
  return real(rice_bits) + 1 + 1 / std::expm1(std::exp2(real(rice_bits)) / gap);
}

std::uint64_t best_rice_bits(double gap) {
  std::uint64_t best = 0;
  while (best < max_rice_bits &&
         rice_bits_per_value(gap, best + 1) < rice_bits_per_value(gap, best)) {
    ++best;
  }
  return best;
}

double golomb_code_bits(const golomb_size& size, std::uint64_t keys) {
  double bits = 0;
  double values = 0;
  for (unsigned i = 0; i <= longest_quotient; ++i) {
    values = with_quotient(size, real(keys), i);
    bits += i == 0 ? values * real(size.rice_bits + 1) : values;
  }
  return bits + values * (real(size.count_bits()) - real(size.rice_bits + 1));
}

golomb_size plan_golomb(std::uint64_t keys, double rate) {
  require_whole("keys", keys, 1, max_keys);
  require_share("the false-positive rate", rate);
  golomb_size size{(keys + values_per_section - 1) / values_per_section, 0, 0, 0};
  const double values = -1 / std::expm1(std::log1p(-rate) / real(keys));
  if (values / real(size.sections) > real(max_golomb_width)) {
    fail(errc::limit, "a rate of " + format_real(rate) + " takes sections of more than " +
                          format_count(max_golomb_width) + " values");
  }
  size.width = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(values / real(size.sections)));
  while (golomb_rate(size, keys) > rate) size.width += std::max<std::uint64_t>(1, size.width >> 48);
  size.rice_bits = best_rice_bits(range(size) / real(keys));
  size.code_bits = code_room(size, keys);
  if (size.code_bits > max_bits) {
    fail(errc::limit, "codes of " + format_count(keys) + " keys take more than " +
                          format_count(max_bits) + " bits");
  }
  return size;
}

query_cost golomb_cost(const golomb_size& size, std::uint64_t keys) {
  const double section = golomb_code_bits(size, keys) / real(size.sections);
  const double lines = 2 + section / 2 / real(cache_line_bits);
  return {lines, lines};
}

}  // namespace bloomery::math
