#include "bloomery/math/laws/set_operations.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

void require_sets(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                  std::uint64_t common) {
  require_filter(m, k);
  require_whole("keys of the first set", a, 0, max_keys);
  require_whole("keys of the second set", b, 0, max_keys);
  require_whole("common keys", common, 0, std::min(a, b));
}

}  // namespace

double union_rate(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                  std::uint64_t common) {
  require_sets(m, k, a, b, common);
  return exact_rate(m, a + b - common, k);
}

double intersection_fill(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                         std::uint64_t common) {
  require_sets(m, k, a, b, common);
  const auto hit = [&](std::uint64_t keys) {
    return hit_probability(real(m), real(k) * real(keys));
  };
  const double by_common = hit(common);
  return by_common + (1 - by_common) * hit(a - common) * hit(b - common);
}

double intersection_rate(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                         std::uint64_t common) {
  require_sets(m, k, a, b, common);
  coverage_chain chain(m, k);
  chain.advance(k * common);
  const auto by_a = cover_probabilities(m, k, k * (a - common));
  const auto by_b = cover_probabilities(m, k, k * (b - common));
  const auto untouched = chain.untouched();
  double rate = 0;
  for (std::size_t u = 0; u <= k; ++u) rate += untouched[u] * by_a[u] * by_b[u];
  return std::min(1.0, rate);
}

double and_is_exact_probability(std::uint64_t m, std::uint64_t k, std::uint64_t only_a,
                                std::uint64_t only_b) {
  require_sets(m, k, only_a, only_b, 0);
  if (only_a == 0 || only_b == 0) return 1;
  return std::exp(real(k) * real(only_a) * real(k) * real(only_b) * std::log1p(-1 / real(m)));
}

double any_claims(std::span<const double> rates) {
  double log_of_none = 0;
  for (const double rate : rates) {
    assert(rate >= 0 && rate <= 1);
    log_of_none += std::log1p(-rate);
  }
  return -std::expm1(log_of_none);
}

}  // namespace bloomery::math
