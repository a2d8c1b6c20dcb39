#include "bloomery/math/false_positive.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/checks.hpp"
#include "bloomery/math/coverage.hpp"

namespace bloomery::math {
namespace {

double real(std::uint64_t value) {
  return static_cast<double>(value);
}

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
  coverage_chain chain(m, k);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  chain.advance(n > most / k ? most : k * n);
  return chain.covered();
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

  // Binomial weights relative to the mode, normalised by their own sum: no factorials, and nothing
  // below 1e-30 of the mode can matter.
  constexpr double negligible = 1e-30;
  const double odds = 1 / (real(blocks) - 1);
  const auto mode = static_cast<std::uint64_t>((real(n) + 1) / real(blocks));
  // Blocks at half the mean load are full to double precision, and emptier ones cannot matter:
  // without this an absurd n would take absurdly long.
  constexpr double surely_full = 64;
  constexpr std::uint64_t surely_near_mean = 1000;
  if (mode > surely_near_mean && real(k) * real(mode) / 2 > surely_full * real(block_bits))
    return 1;
  std::uint64_t first = std::min(mode, n);
  double first_weight = 1;
  while (first > 0) {
    const double weight =
        first_weight * real(first) / (real(n - first) + 1) / odds;  // P(first-1) / P(first)
    if (weight < negligible) break;
    first_weight = weight;
    --first;
  }

  coverage_chain chain(block_bits, k);
  chain.advance(k * first);
  double weight = first_weight;
  double total = 0;
  double rate = 0;
  for (std::uint64_t load = first;; ++load) {
    total += weight;
    rate += weight * chain.covered();
    if (load == n) break;
    weight *= real(n - load) / real(load + 1) * odds;
    if (load >= mode && weight < negligible) break;
    for (std::uint64_t ball = 0; ball < k; ++ball) chain.advance_one();
  }
  return rate / total;
}

double instance_rate(double fill, std::uint64_t k) {
  return std::pow(fill, real(k));
}

double instance_rate(std::span<const double> slice_fills) {
  double rate = 1;
  for (const double fill : slice_fills) rate *= fill;
  return rate;
}

double instance_rate(std::span<const std::uint64_t> blocks_with_ones, std::uint64_t k) {
  assert(blocks_with_ones.size() >= 2);
  const double block_bits = real(blocks_with_ones.size() - 1);
  double blocks = 0;
  double sum = 0;
  for (std::size_t ones = 0; ones < blocks_with_ones.size(); ++ones) {
    blocks += real(blocks_with_ones[ones]);
    sum += real(blocks_with_ones[ones]) * std::pow(real(ones) / block_bits, real(k));
  }
  return sum / blocks;
}

}  // namespace bloomery::math
