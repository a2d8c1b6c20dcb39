#include "bloomery/math/laws/false_positive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/block_loads.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// P(Poisson(a) >= 2), without the cancellation of 1 - (1+a)e^{-a}.
double two_or_more(double a) {
  if (a > 1) return 1 - (1 + a) * std::exp(-a);
  double term = a * a / 2;
  double sum = 0;
  for (double i = 3; term > sum * 1e-17; ++i) {
    sum += term;
    term *= a / i;
  }
  return sum * std::exp(-a);
}

}  // namespace

double bloom_1970_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  require_whole("hashes, of distinct bits,", k, 1, m);
  return std::pow(hit_probability(real(m) / real(k), real(n)), real(k));
}

double classic_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  return std::pow(hit_probability(real(m), real(k) * real(n)), real(k));
}

double asymptotic_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  return std::pow(-std::expm1(-real(k) * real(n) / real(m)), real(k));
}

double second_order_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  if (n == 0) return 0;
  const double a = real(k) * real(n) / real(m);
  const double fill = hit_probability(real(m), real(k) * real(n));
  const double variance = std::exp(-a) * two_or_more(a) / real(m);
  const double excess = real(k) * real(k - 1) * variance / (2 * fill * fill);
  return std::min(1.0, std::pow(fill, real(k)) * (1 + excess));
}

double exact_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return cover_probability(m, k, n > most / k ? most : k * n);
}

double partitioned_rate(std::uint64_t slice, std::uint64_t n, std::uint64_t k) {
  require_whole("hashes", k, 1, max_hashes);
  require_whole("slice_bits", slice, 1, max_bits / k);
  return std::pow(hit_probability(real(slice), real(n)), real(k));
}

double blocked_rate(std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t n,
                    std::uint64_t k) {
  require_filter(block_bits, k);
  require_whole("blocks", blocks, 1, max_bits / block_bits);
  if (blocks == 1) return exact_rate(block_bits, n, k);
  // Blocks at half the mean load are full to double precision, and emptier ones cannot matter:
  // without this an absurd n would take absurdly long.
  constexpr double surely_full = 64;
  constexpr double surely_near_mean = 1000;
  const double mean = real(n) / real(blocks);
  if (mean > surely_near_mean && real(k) * mean / 2 > surely_full * real(block_bits)) return 1;
  coverage_chain chain(block_bits, k);
  std::uint64_t keys = 0;
  return mean_over_loads(blocks, n, [&](std::uint64_t load) {
    chain.advance(k * (load - keys));
    keys = load;
    return chain.covered();
  });
}

double instance_rate(double fill, std::uint64_t k) {
  return std::pow(fill, real(k));
}

double instance_rate(std::span<const double> slice_fills) {
  double rate = 1;
  for (const double fill : slice_fills) rate *= fill;
  return rate;
}

}  // namespace bloomery::math
