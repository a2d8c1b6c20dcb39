#include "bloomery/math/kinds/generalized.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

// What a key does to a given bit.
struct step {
  double to_zero;
  double to_one;
  [[nodiscard]] double changes() const { return to_zero + to_one; }
  // That a bit is untouched by n keys.
  [[nodiscard]] double spared(std::uint64_t n) const {
    return n == 0 ? 1 : std::exp(real(n) * std::log1p(-std::min(1.0, changes())));
  }
};

step step_of(const generalized_size& size) {
  require_whole("bits", size.bits, 1, max_bits);
  require_whole("zeros", size.zeros, 1, max_hashes);
  require_whole("ones", size.ones, 1, max_hashes);
  const double to_zero = hit_probability(real(size.bits), real(size.zeros));
  return {to_zero, hit_probability(real(size.bits), real(size.ones)) * (1 - to_zero)};
}

// Element v: the chance that `balls` balls occupy v of m bins, not counting `taken` of them.
std::vector<double> different(double m, std::uint64_t balls, double taken) {
  std::vector<double> law(balls + 1);
  law[0] = 1;
  for (std::uint64_t ball = 0; ball < balls; ++ball) {
    for (std::uint64_t v = ball + 1; v > 0; --v) {
      const double stay = std::min(1.0, (taken + real(v)) / m);
      const double grow = std::max(0.0, (m - taken - real(v - 1)) / m);
      law[v] = law[v] * stay + law[v - 1] * grow;
    }
    law[0] *= std::min(1.0, taken / m);
  }
  return law;
}

// E[a^u·b^v] over a key's u different zeros and v different ones that are not among them.
double mean_of_powers(const generalized_size& size, double a, double b) {
  const double m = real(size.bits);
  const std::vector<double> zeros = different(m, size.zeros, 0);
  double sum = 0;
  for (std::uint64_t u = 1; u < zeros.size(); ++u) {
    if (zeros[u] == 0) continue;
    const std::vector<double> ones = different(m, size.ones, real(u));
    double inner = 0;
    for (std::uint64_t v = ones.size(); v-- > 0;) inner = inner * b + ones[v];
    sum += zeros[u] * std::pow(a, real(u)) * inner;
  }
  return std::min(sum, 1.0);  // the terms are rounded
}

}  // namespace

double generalized_limit_fill(const generalized_size& size) {
  const step key = step_of(size);
  return key.to_one / key.changes();
}

double generalized_fill(const generalized_size& size, std::uint64_t n, double start) {
  const double limit = generalized_limit_fill(size);
  return limit + (start - limit) * step_of(size).spared(n);
}

double generalized_instance_rate(const generalized_size& size, double fill) {
  return mean_of_powers(size, 1 - fill, fill);
}

double generalized_rate(const generalized_size& size, std::uint64_t n, double start) {
  return generalized_instance_rate(size, generalized_fill(size, n, start));
}

double generalized_limit(const generalized_size& size) {
  return generalized_instance_rate(size, generalized_limit_fill(size));
}

double generalized_misses(const generalized_size& size, std::uint64_t age) {
  const double ones = generalized_limit_fill(size);
  const double changed = 1 - step_of(size).spared(age);
  return 1 - mean_of_powers(size, 1 - ones * changed, 1 - (1 - ones) * changed);
}

estimate generalized_keys(const generalized_size& size, std::uint64_t ones, double confidence) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double limit = generalized_limit_fill(size);
  const double m = real(size.bits);
  const double fill = real(ones) / m;
  const double reach = normal_quantile(0.5 + confidence / 2) * std::sqrt(fill * (1 - fill) / m);
  const double log_spared = std::log1p(-std::min(1.0, step_of(size).changes()));
  const auto keys = [&](double share) {
    if (share >= limit) return infinity;
    return share <= 0 ? 0 : std::log1p(-share / limit) / log_spared;
  };
  return {keys(fill), keys(fill - reach), keys(fill + reach), fill >= limit};
}

// A query looks for zeros first, and stops at the first bit that is wrong.
query_cost generalized_cost(const generalized_size& size, std::uint64_t n) {
  const double fill = generalized_fill(size, n);
  const query_cost zeros = filled_cost(1 - fill, size.bits, size.zeros);
  const query_cost ones = filled_cost(fill, size.bits, size.ones);
  return {zeros.absent + std::pow(1 - fill, real(size.zeros)) * ones.absent,
          zeros.present + ones.present};
}

// A key is missed about 2·k0·k1·n/m of the time, so that few zeros and ones are best: the search ends
// where more of either only cost.
generalized_size plan_generalized(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  std::optional<generalized_size> best;
  for (std::uint64_t ones = 1; ones <= max_hashes / 2; ++ones) {
    bool better = false;
    for (std::uint64_t zeros = 1; zeros <= 2; ++zeros) {
      const double guess = 2 * real(zeros * ones) * real(keys) / planned_misses;
      const auto bits = smallest(guess, max_bits, [&](std::uint64_t m) {
        const generalized_size size{m, zeros, ones};
        return generalized_misses(size, keys) <= planned_misses &&
               generalized_rate(size, keys) <= rate;
      });
      if (!bits || (best && *bits >= best->bits)) continue;
      best = {*bits, zeros, ones};
      better = true;
    }
    if (best && !better) break;
  }
  if (!best) refuse_rate(rate);
  return *best;
}

}  // namespace bloomery::math
