#include "bloomery/math/laws/estimate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The n at which a falling function crosses zero, to double precision.
template <class Function>
double falling_root(double low, double high, Function f) {
  return border(
             low, high, [&](double n) { return f(n) > 0; }, 0, 200)
      .middle();
}

// The value is at most `most`, the interval's high end at most `most_high`.
estimate around(double value, double deviation, double z, double most, double most_high) {
  return {std::clamp(value, 0.0, most), std::clamp(value - z * deviation, 0.0, most),
          std::clamp(value + z * deviation, 0.0, most_high), false};
}

double z_of(double confidence) {
  assert(confidence > 0 && confidence < 1);
  return normal_quantile(0.5 + confidence / 2);
}

double deviation(double variance) {
  return std::sqrt(std::max(0.0, variance));
}

// Zeros by a translated Poisson law: Poisson of their variance, moved to their mean. It is skewed as they
// are where few balls have fallen or few zeros are left, and normal between.
struct translated_poisson {
  double shift;
  double variance;

  translated_poisson(const bit_layout& layout, double keys)
      : variance(std::max(1e-12, layout.covariance(keys, keys, keys))) {
    shift = layout.expected_zeros(keys) - variance;
  }
  [[nodiscard]] double at_least(double zeros) const {
    return zeros <= shift ? 1 : 1 - chi_square_upper(2 * variance, 2 * (zeros - shift));
  }
  [[nodiscard]] double at_most(double zeros) const {
    return zeros + 1 <= shift ? 0 : chi_square_upper(2 * variance, 2 * (zeros + 1 - shift));
  }
};

}  // namespace

estimate estimate_keys(const bit_layout& layout, std::uint64_t zeros, double confidence) {
  const auto seen = real(zeros);
  assert(seen <= layout.bits);
  if (seen == layout.bits) return {};
  if (!std::isfinite(layout.log_avoid)) return {infinity, 1, infinity, true};  // one-bit cells
  const double z = z_of(confidence);
  const auto surplus = [&](double keys, double sign) {
    const double spread = std::sqrt(std::max(0.0, layout.covariance(keys, keys, keys)));
    return layout.expected_zeros(keys) + sign * z * spread - seen;
  };
  // Beyond this many keys less than a thousandth of a zero bit is expected: no interval reaches it.
  const double most = std::log(1e-3 / layout.bits) / layout.log_avoid;
  const double tail = (1 - confidence) / 2;
  const double low = std::min(falling_root(0, most, [&](double keys) { return surplus(keys, -1); }),
                              falling_root(0, most, [&](double keys) {
                                return tail - translated_poisson(layout, keys).at_most(seen);
                              }));
  if (zeros == 0) return {infinity, low, infinity, true};
  const double value = std::log(seen / layout.bits) / layout.log_avoid;
  const double high =
      std::max(falling_root(value, most, [&](double keys) { return surplus(keys, +1); }),
               falling_root(value, most, [&](double keys) {
                 return translated_poisson(layout, keys).at_least(seen) - tail;
               }));
  return {value, std::min(low, value), std::max(1.0, high), false};  // some key set the ones
}

overlap estimate_overlap(const bit_layout& layout, std::uint64_t zeros_first,
                         std::uint64_t zeros_second, std::uint64_t zeros_of_or, double confidence) {
  overlap result;
  result.first = estimate_keys(layout, zeros_first, confidence);
  result.second = estimate_keys(layout, zeros_second, confidence);
  result.united = estimate_keys(layout, zeros_of_or, confidence);
  const double most = std::min(result.first.value, result.second.value);
  const double most_high = std::min(result.first.high, result.second.high);
  if (result.united.saturated) {
    result.common = {infinity, 0, most_high, true};
    result.jaccard = {infinity, 0, 1, true};
    return result;
  }
  const double z = z_of(confidence);
  const double a = result.first.value;
  const double b = result.second.value;
  const double u = result.united.value;
  const double common = a + b - u;
  // Estimates covary through the keys they share: A with B through A∩B, A and B with A∪B wholly.
  const auto shared = [&](double keys) { return layout.estimate_covariance(keys); };
  const double plausible = std::clamp(common, 0.0, most);
  const double common_variance = shared(u) - shared(a) - shared(b) + 2 * shared(plausible);
  result.common = around(common, deviation(common_variance), z, most, most_high);
  if (u > 0) {
    const double jaccard = common / u;
    const double with_union = shared(a) + shared(b) - shared(u);
    const double variance =
        (common_variance + jaccard * jaccard * shared(u) - 2 * jaccard * with_union) / (u * u);
    result.jaccard = around(jaccard, deviation(variance), z, 1, 1);
  }
  return result;
}

estimate estimate_common(std::uint64_t asked, std::uint64_t claimed, double rate,
                         double confidence) {
  assert(claimed <= asked && rate >= 0 && rate <= 1);
  const double tail = (1 - confidence) / 2;
  // With more common keys, as many claims are more of a surprise from below and less from above.
  const auto too_few = [&](std::uint64_t common) {
    return binomial_upper(claimed - common, asked - common, rate) < tail;
  };
  const auto too_many = [&](std::uint64_t common) {
    return binomial_lower(claimed - common, asked - common, rate) < tail;
  };
  const std::uint64_t low =
      too_few(0) ? smallest_in(0, claimed, [&](std::uint64_t common) { return !too_few(common); })
                 : 0;
  const std::uint64_t high =
      too_many(claimed)
          ? largest_below(claimed, [&](std::uint64_t common) { return !too_many(common); })
          : claimed;
  const double value = rate < 1 ? (real(claimed) - rate * real(asked)) / (1 - rate) : 0;
  return {std::clamp(value, real(low), std::max(real(low), real(high))), real(low),
          std::max(real(low), real(high)), rate == 1};
}

}  // namespace bloomery::math
