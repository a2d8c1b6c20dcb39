#include "bloomery/math/numeric/binomial.hpp"

namespace bloomery::math {

double log_binomial(double n, double i, double p) {
  return std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + i * std::log(p) +
         (n - i) * std::log1p(-p);
}

double at_least_of(double trials, std::uint64_t hits, double p) {
  if (real(hits) > trials) return 0;
  if (hits == 0 || p >= 1) return 1;
  double sum = 0;
  if (trials * p < real(hits)) {
    constexpr double negligible = 1e-17;
    each_binomial(
        trials, p, [&](std::uint64_t j, double term) { sum += j >= hits ? term : 0; },
        [&](std::uint64_t j, double term) { return j <= hits || term > sum * negligible; });
    return sum;
  }
  each_binomial(
      trials, p, [&](std::uint64_t, double term) { sum += term; },
      [&](std::uint64_t j, double) { return j < hits; });
  return std::max(0.0, 1 - sum);
}

}  // namespace bloomery::math
