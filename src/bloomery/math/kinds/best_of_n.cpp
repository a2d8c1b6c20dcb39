#include "bloomery/math/kinds/best_of_n.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/quadrature.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

double deviation_of_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  const double variance = uniform_layout(m, k).covariance(real(n), real(n), real(n));
  return std::sqrt(std::max(0.0, variance)) / real(m);
}

// Σ (i/m)^k·P(the least of N is i).
double exact_best_of(std::uint64_t m, std::uint64_t balls, std::uint64_t k, std::uint64_t seeds) {
  const std::vector<double> law = fewest_occupied_law(m, balls, seeds);
  double rate = 0;
  for (std::uint64_t i = law.size(); i-- > 0;) {
    rate += std::pow(real(i) / real(m), real(k)) * law[i];
  }
  return std::min(rate, 1.0);
}

}  // namespace

std::vector<double> occupied_law(std::uint64_t m, std::uint64_t balls) {
  constexpr double negligible = 1e-30;
  std::vector<double> law(std::min(m, balls) + 1);
  law[0] = 1;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (std::uint64_t ball = 0; ball < balls; ++ball) {
    if (high < law.size() - 1) ++high;
    for (std::uint64_t i = high; i > low; --i) {
      law[i] = law[i] * (real(i) / real(m)) + law[i - 1] * (real(m - i + 1) / real(m));
    }
    law[low] *= real(low) / real(m);
    while (low < high && law[low] < negligible) law[low++] = 0;
    while (high > low && law[high] < negligible) law[high--] = 0;
  }
  return law;
}

// P(least >= i) = P(one >= i)^N.
std::vector<double> fewest_occupied_law(std::uint64_t m, std::uint64_t balls, std::uint64_t seeds) {
  std::vector<double> law = occupied_law(m, balls);
  double tail = 0;
  double all_above = 0;
  for (std::uint64_t i = law.size(); i-- > 0;) {
    tail = std::min(1.0, tail + law[i]);
    const double all_from = std::pow(tail, real(seeds));
    law[i] = all_from - all_above;
    all_above = all_from;
  }
  return law;
}

double fewest_ones(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seeds) {
  require_filter(m, k);
  require_whole("seeds", seeds, 1, max_keys);
  require_whole("n", n, 0, max_keys / k);
  const std::vector<double> law = fewest_occupied_law(m, n * k, seeds);
  double ones = 0;
  for (std::uint64_t i = 0; i < law.size(); ++i) ones += real(i) * law[i];
  return ones;
}

double best_of_rate_normal(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seeds) {
  const double mean = hit_probability(real(m), real(n) * real(k));
  const double deviation = deviation_of_fill(m, n, k);
  const auto density = [&](double z) {
    const double fill = std::clamp(mean + deviation * z, 0.0, 1.0);
    const double above = std::erfc(z / M_SQRT2) / 2;
    return std::pow(fill, real(k)) * real(seeds) * std::pow(above, real(seeds) - 1) *
           std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
  };
  constexpr int reach = 9;
  double rate = 0;
  for (int z = -reach; z < reach; ++z) rate += integral(z, z + 1, density);
  return std::min(rate, 1.0);  // the terms are rounded
}

double best_of_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seeds) {
  require_filter(m, k);
  require_whole("seeds", seeds, 1, max_keys);
  if (n == 0) return 0;
  if (seeds == 1) return exact_rate(m, n, k);
  constexpr double steps = 1 << 18;  // of the exact law: a third of a millisecond
  const double balls = real(n) * real(k);
  const double width = std::min({real(m), balls, 20 * real(m) * deviation_of_fill(m, n, k) + 1});
  if (balls * width <= steps) return exact_best_of(m, n * k, k, seeds);
  return best_of_rate_normal(m, n, k, seeds);
}

// What choosing saves is at most a few bits in a hundred: the best k is the standard filter's, or near.
best_of_size plan_best_of(std::uint64_t keys, double rate, std::uint64_t seeds) {
  const standard_size plain = plan_standard(keys, rate);
  std::optional<best_of_size> best;
  for (std::uint64_t k = plain.hashes > 1 ? plain.hashes - 1 : 1;
       k <= std::min(plain.hashes + 2, max_hashes); ++k) {
    const std::uint64_t most = best ? best->bits - 1 : max_bits;
    if (most == 0) break;
    const auto bits = smallest_within(real(plain.bits), most, rate, [&](std::uint64_t m) {
      return best_of_rate(m, keys, k, seeds);
    });
    if (bits) best = best_of_size{*bits, k};
  }
  if (!best) refuse_rate(rate);
  return *best;
}

}  // namespace bloomery::math
