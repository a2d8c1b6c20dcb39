#include "bloomery/math/kinds/dleft_dynamic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {

std::uint64_t dynamic_size::code_bits(std::uint64_t shared) {
  return static_cast<std::uint64_t>(
      std::bit_width(binomial(sorted_values - 1 + shared, shared) - 1));
}

std::uint64_t dynamic_size::remainder_bits(std::uint64_t shared) const {
  const std::uint64_t rest = bucket_bits - dynamic_header_bits;
  const std::uint64_t code = code_bits(shared);
  if (rest < code) return 0;
  return std::min(sorted_bits + (rest - code) / shared, max_remainder_bits);
}

double dynamic_rate(const dynamic_size& size, std::uint64_t keys) {
  const double shortest = real(size.remainder_bits(size.cells));
  const auto loads = dleft_table_loads(size.tables, real(keys) / real(size.buckets), size.cells);
  double log_missed = 0;
  for (const std::vector<double>& at_least : loads) {
    double hit = 0;
    for (std::uint64_t i = 1; i <= size.cells; ++i) {
      const double share = at_least[i] - (i < size.cells ? at_least[i + 1] : 0);
      const double equal =
          1 / (std::exp2(shortest) - 1) * std::exp2(shortest - real(size.remainder_bits(i)));
      hit += share * -std::expm1(real(i) * std::log1p(-equal));
    }
    log_missed += std::log1p(-hit);
  }
  return 0 - std::expm1(log_missed);  // not -0 of no keys
}

std::uint64_t dynamic_capacity(const dynamic_size& size) {
  return dleft_capacity({size.tables, size.buckets, size.cells, max_remainder_bits, 2});
}

dynamic_size plan_dynamic(std::uint64_t keys, double rate) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  rate = std::min(rate, loosest_dynamic_rate);
  dynamic_size best{};
  double least = real(max_bits);
  for (std::uint64_t bits = 32; bits <= 128; bits += 16) {
    dynamic_size size{dleft_tables, 0, bits, max_dynamic_cells};
    while (size.remainder_bits(size.cells) < shortest_remainder) --size.cells;
    const auto cost = [&](std::uint64_t buckets) {
      return real(size.tables * bits) * real(buckets);
    };
    const auto fits = [&](std::uint64_t buckets) {
      size.buckets = buckets;
      return dynamic_rate(size, keys) <= rate &&
             dleft_has_room({size.tables, buckets, size.cells, max_remainder_bits, 2}, keys);
    };
    std::uint64_t without = keys / (size.tables * size.cells);
    std::uint64_t with = without + 1;
    while (cost(with) < least && !fits(with)) {
      without = with;
      with += with / 4 + 1;
    }
    if (!(cost(without + 1) < least) || !fits(with)) continue;
    with = smallest_in(without, with, fits, 10'000);
    size.buckets = with;
    if (!(cost(with) < least)) continue;
    best = size;
    least = cost(with);
  }
  if (best.buckets == 0) {
    fail(errc::limit, "no d-left table of at most " + std::to_string(max_bits) + " bits keeps " +
                          std::to_string(keys) + " keys at the rate " + format_real(rate));
  }
  return best;
}

}  // namespace bloomery::math
