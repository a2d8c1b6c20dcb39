#include "bloomery/math/laws/choices.hpp"

#include <cassert>

#include "bloomery/math/numeric/binomial.hpp"

namespace bloomery::math {
namespace {

double power(double base, std::uint64_t exponent) {
  double odd = 1;
  for (; exponent > 1; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) odd *= base;
  }
  return exponent == 0 ? 1 : odd * base;
}

// E[max of d standard normals] = ∫ 1-Φ^d-(1-Φ)^d from 0, d >= 1.
double normal_maximum(std::uint64_t d) {
  const auto f = [&](double x) {
    const double above = std::erfc(x / M_SQRT2) / 2;
    return 1 - power(1 - above, d) - power(above, d);
  };
  return integral(0, 2, f) + integral(2, 4, f) + integral(4, 9, f);
}

}  // namespace

double fewest_ones(std::uint64_t throws, double zeros, std::uint64_t candidates) {
  assert(zeros >= 0 && zeros <= 1 && candidates >= 1);
  if (throws == 0 || zeros <= 0) return 0;
  if (zeros >= 1) return real(throws);
  const double mean = real(throws) * zeros;
  const double deviation = std::sqrt(mean * (1 - zeros));
  constexpr std::uint64_t exactly = 4096;
  if (throws > exactly) return std::max(0.0, mean - deviation * normal_maximum(candidates));
  // The sum of P(X >= i)^d over i >= 1: where that is 1, and on until it counts no more.
  const auto sure = static_cast<std::uint64_t>(std::max(0.0, std::floor(mean - 8 * deviation - 8)));
  double chance = sure == 0 ? std::exp(real(throws) * std::log1p(-zeros))
                            : std::exp(log_binomial(real(throws), real(sure), zeros));
  double tail = 1;
  double sum = real(sure);
  const double odds = zeros / (1 - zeros);
  for (std::uint64_t i = sure; i < throws; ++i) {
    tail -= chance;
    const double term = tail > 0 ? power(tail, candidates) : 0;
    sum += term;
    if (term <= 1e-18 * sum) break;
    chance *= real(throws - i) / real(i + 1) * odds;
  }
  return sum;
}

void least_of(std::vector<double>& law, std::uint64_t candidates) {
  double tail = 0;
  double above = 0;
  for (std::uint64_t j = law.size(); j-- > 0;) {
    tail = std::min(1.0, tail + law[j]);
    const double at_least = power(tail, candidates);  // the least is j or more if each is
    law[j] = at_least - above;
    above = at_least;
  }
}

std::vector<std::vector<double>> fewest_added(std::uint64_t m, std::uint64_t ones,
                                              std::uint64_t throws, std::uint64_t most,
                                              std::uint64_t candidates) {
  assert(ones <= m && candidates >= 1);
  std::vector<std::vector<double>> result;
  std::vector<double> added(std::min(most * throws, m - ones) + 1, 0);
  added[0] = 1;
  std::vector<double> hit;  // the chance that a ball meets one of the ones, by how many were added
  for (std::uint64_t j = 0; j < added.size(); ++j) hit.push_back(real(ones + j) / real(m));
  for (std::uint64_t thrown = 0;; ++thrown) {
    if (thrown % throws == 0) {
      least_of(result.emplace_back(added), candidates);
    }
    if (thrown == most * throws) return result;
    for (std::uint64_t j = std::min<std::uint64_t>(thrown + 1, added.size() - 1); j > 0; --j) {
      added[j] = added[j] * hit[j] + added[j - 1] * (1 - hit[j - 1]);
    }
    added[0] *= hit[0];
  }
}

double refined(double limit, std::uint64_t n, double exact, double limit_of_few,
               std::uint64_t few) {
  if (n <= few) return exact;
  if (limit_of_few <= 0) return limit;
  return std::clamp(limit * (1 + (exact / limit_of_few - 1) * real(few) / real(n)), 0.0, 1.0);
}

}  // namespace bloomery::math
