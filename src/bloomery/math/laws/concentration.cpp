#include "bloomery/math/laws/concentration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

double mean_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return hit_probability(real(m), real(k) * real(n));
}

// m²/(kn): what multiplies -2ε² in every exponent here.
double sharpness(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return real(m) / (real(k) * real(n)) * real(m);
}

}  // namespace

double azuma_tail(std::uint64_t m, std::uint64_t n, std::uint64_t k, double epsilon) {
  require_filter(m, k);
  require_positive("epsilon", epsilon);
  return n == 0 ? 0 : std::min(1.0, 2 * std::exp(-2 * epsilon * epsilon * sharpness(m, n, k)));
}

double azuma_deviation(std::uint64_t m, std::uint64_t n, std::uint64_t k, double confidence) {
  require_filter(m, k);
  require_share("confidence", confidence);
  return n == 0 ? 0 : std::sqrt(std::log(2 / (1 - confidence)) / (2 * sharpness(m, n, k)));
}

double mcdiarmid_rate_bound(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  if (n == 0) return 0;
  const double p = mean_fill(m, n, k);
  const double steepness = 2 * sharpness(m, n, k);
  const auto bound = [&](double t) {
    return std::pow(p + t, real(k)) + std::exp(-steepness * t * t);
  };
  double low = 1 / std::sqrt(2 * steepness);
  double high = 1 - p;
  while (low < high) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    if (left >= right || left == low) break;
    if (bound(left) < bound(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return std::min(1.0, bound(low));
}

bose_bound bose_rate_bound(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  if (n == 0) return {0, 1, std::numeric_limits<double>::infinity(), false};
  const double p = mean_fill(m, n, k);
  const double lower = std::pow(p, real(k));
  const double term =
      real(k) / p * std::sqrt((std::log(real(m)) - real(k) * std::log(p)) / real(m));
  return {lower, std::min(1.0, lower * (1 + term)), term, term < 1};
}

double parted_rate_tail(double parts, double expected, double rate) {
  require_positive("parts", parts);
  if (rate <= expected) return 1;
  if (expected <= 0) return 0;
  const double misses = rate < 1 ? (1 - rate) * std::log((1 - rate) / (1 - expected)) : 0;
  return std::exp(-parts * (rate * std::log(rate / expected) + misses));
}

fill_range chernoff_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, double confidence) {
  require_filter(m, k);
  require_share("confidence", confidence);
  if (n == 0) return {0, 0, 0};
  const double p = mean_fill(m, n, k);
  // How far a share whose mean is `mean` may rise: ones to the high end, zeros to the low one.
  const auto reach = [&](double mean) {
    return border(mean, 1,
                  [&](double share) {
                    return parted_rate_tail(real(m), mean, share) > (1 - confidence) / 2;
                  })
        .high;
  };
  return {p, 1 - reach(1 - p), reach(p)};
}

fill_range expected_fill(const bit_layout& layout, double keys, double confidence) {
  require_share("confidence", confidence);
  if (keys == 0) return {0, 0, 0};
  require_positive("keys", keys);
  const double mean = -std::expm1(keys * layout.log_avoid);
  const double deviation =
      std::sqrt(std::max(0.0, layout.covariance(keys, keys, keys))) / layout.bits;
  const double reach = normal_quantile(0.5 + confidence / 2) * deviation;
  return {mean, std::max(0.0, mean - reach), std::min(1.0, mean + reach)};
}

}  // namespace bloomery::math
