#include "bloomery/math/laws/peeling.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// The least of m·ln(e^z - z) - placed·ln z, nearly: a z that is not quite the best makes the bound no
// less true.
double log_no_single(double m, double placed) {
  const double load = placed / m;
  double z = std::max(load, std::sqrt(load));
  constexpr int rounds = 12;
  for (int i = 0; i < rounds; ++i) {
    z *= std::sqrt(load * (std::exp(z) - z) / (z * std::expm1(z)));
  }
  // e^z - z is 1 + z²/2 and more: no digits are lost for small z.
  return m * std::log1p(std::expm1(z) - z) - placed * std::log(z);
}

// The log of a bound on the chance that s keys leave no slot with one of them.
struct coring {
  double m;
  double k;
  double log_distinct = 0;  // of the chance that k slots differ

  coring(std::uint64_t slots, std::uint64_t each) : m(real(slots)), k(real(each)) {
    for (std::uint64_t i = 1; i < each; ++i) log_distinct += std::log1p(-real(i) / m);
  }
  [[nodiscard]] double log_chance(double s) const {
    const double placed = k * s;
    return std::min(0.0, std::lgamma(placed + 1) - placed * std::log(m) - s * log_distinct +
                             log_no_single(m, placed));
  }
  [[nodiscard]] double log_same() const {  // 1/C(m, k): two keys have the same slots
    return std::lgamma(k + 1) + std::lgamma(m - k + 1) - std::lgamma(m + 1);
  }
};

// Σ e^term(s) for s from `first` to n, from 64 on by steps of two per cent.
template <class Term>
double summed(std::uint64_t first, std::uint64_t n, Term term) {
  constexpr std::uint64_t one_by_one = 64;
  constexpr double step = 1.02;
  double total = 0;
  for (std::uint64_t s = first; s <= std::min(n, one_by_one); ++s) total += std::exp(term(real(s)));
  auto s = real(one_by_one);
  double here = s < real(n) ? term(s) : 0;
  while (s < real(n)) {
    const double next = std::min(real(n), std::ceil(s * step));
    const double there = term(next);
    total += (next - s) * std::exp(std::max(here, there));
    s = next;
    here = there;
  }
  return total;
}

double log_choose(double n, double s) {
  return std::lgamma(n + 1) - std::lgamma(s + 1) - std::lgamma(n - s + 1);
}

}  // namespace

double peeling_threshold(std::uint64_t k) {
  require_whole("hashes", k, 2, max_hashes);
  const auto power = real(k) - 1;
  const auto density = [&](double x) { return (power + 1) * std::pow(-std::expm1(-x), power) / x; };
  double low = 1e-9;
  double high = 20;
  while (high - low > 1e-9) {  // one maximum: by thirds
    const double third = (high - low) / 3;
    (density(low + third) < density(high - third) ? low : high) =
        density(low + third) < density(high - third) ? low + third : high - third;
  }
  return density(low);
}

double core_probability(std::uint64_t m, std::uint64_t keys, std::uint64_t k) {
  if (keys < 2) return 0;
  if (m < k) return 1;
  const coring core(m, k);
  return std::min(1.0, summed(2, keys, [&](double s) {
                    return log_choose(real(keys) - 1, s - 1) + core.log_chance(s);
                  }));
}

failure_bounds peeling_failure(std::uint64_t m, std::uint64_t keys, std::uint64_t k) {
  require_whole("hashes", k, 2, max_hashes);
  if (keys < 2) return {0, 0};
  if (m < k || keys > m) return {1, 1};
  const coring core(m, k);
  const auto n = real(keys);
  // The birthday's: 1 - Π(1 - i/C(m,k)), the log of which is at most that of its first two terms.
  const double same = std::exp(core.log_same());
  const double pairs = n * (n - 1) / 2;
  const double log_apart = -same * pairs - same * same * pairs * (2 * n - 1) / 6;
  const double all = same * pairs + summed(3, keys, [&](double s) {
                       return log_choose(n, s) + core.log_chance(s);
                     });
  const double least = keys == 2 ? same : -std::expm1(log_apart);
  return {least, std::clamp(all, least, 1.0)};
}

}  // namespace bloomery::math
