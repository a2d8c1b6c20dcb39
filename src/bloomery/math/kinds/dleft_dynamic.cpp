#include "bloomery/math/kinds/dleft_dynamic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

double bits_of(const dynamic_size& size) {
  return real(size.tables * size.bucket_bits) * real(size.buckets);
}

// The size with the fewest bits in so many tables; no buckets if there is none.
dynamic_size smallest(std::uint64_t tables, std::uint64_t keys, double rate) {
  dynamic_size best{tables, 0, 0, 0};
  double least = real(max_bits);
  const std::uint64_t most_cells = std::min(max_dynamic_cells, (keys + tables - 1) / tables);
  for (std::uint64_t bits = 128; bits >= 16; bits -= 16) {
    for (std::uint64_t cells = most_cells; cells >= 1; --cells) {
      dynamic_size size{tables, 1, bits, cells};
      if (size.remainder_bits(cells) < shortest_remainder) continue;
      const auto buckets = dleft_buckets(size.shortest(), keys, rate, least / bits_of(size));
      if (!buckets) continue;
      size.buckets = *buckets;
      if (bits_of(size) >= least) continue;
      best = size;
      least = bits_of(size);
    }
  }
  return best;
}

}  // namespace

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

double worn_dynamic_rate(const dynamic_size& size, std::uint64_t keys) {
  return dleft_rate(size.shortest(), keys);
}

std::uint64_t dynamic_capacity(const dynamic_size& size) {
  return dleft_capacity(size.shortest());
}

dynamic_size plan_dynamic(std::uint64_t keys, double rate) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  return plan_tables(
      keys, rate, [&](std::uint64_t tables) { return smallest(tables, keys, rate); }, bits_of);
}

}  // namespace bloomery::math
