#include "bloomery/math/laws/peeling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
    const double before = z;
    z *= std::sqrt(load * (std::exp(z) - z) / (z * std::expm1(z)));
    if (z == before) break;  // and would stay
  }
  // e^z - z is 1 + z²/2 and more: no digits are lost for small z.
  return m * std::log1p(std::expm1(z) - z) - placed * std::log(z);
}

}  // namespace

// The log of a bound on the chance that s keys leave no slot with one of them.
struct coring {
  double m;
  double k;
  double log_distinct = 0;  // of the chance that k slots differ

  coring(std::uint64_t slots, std::uint64_t each) : m(real(slots)), k(real(each)) {
    for (std::uint64_t i = 1; i < each; ++i) log_distinct += std::log1p(-real(i) / m);
  }
  [[nodiscard]] double log_chance(double s) const { return log_chance(s, std::lgamma(k * s + 1)); }
  // The same of what is known to be ln (ks)!.
  [[nodiscard]] double log_chance(double s, double log_orders) const {
    const double placed = k * s;
    return std::min(
        0.0, log_orders - placed * std::log(m) - s * log_distinct + log_no_single(m, placed));
  }
  [[nodiscard]] double log_same() const {  // 1/C(m, k): two keys have the same slots
    return std::lgamma(k + 1) + std::lgamma(m - k + 1) - std::lgamma(m + 1);
  }
};

namespace {

constexpr std::uint64_t small_set = 64;
constexpr double set_step = 1.02;

// Σ e^term(s) for s from `first` to n, from 64 on by steps of two per cent.
template <class Term>
double summed(std::uint64_t first, std::uint64_t n, Term term) {
  double total = 0;
  for (std::uint64_t s = first; s <= std::min(n, small_set); ++s) total += std::exp(term(real(s)));
  auto s = real(small_set);
  double here = s < real(n) ? term(s) : 0;
  while (s < real(n)) {
    const double next = std::min(real(n), std::ceil(s * set_step));
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

core_bound::core_bound(std::uint64_t keys, std::uint64_t k) : keys_(keys), k_(k) {
  const auto n = real(keys);
  for (std::uint64_t s = 2; s <= std::min(keys, small_set); ++s) sets_.push_back({real(s)});
  for (auto s = real(small_set); s < n;) {
    s = std::min(n, std::ceil(s * set_step));
    sets_.push_back({s});
  }
  const auto large = std::partition_point(sets_.begin(), sets_.end(),
                                          [&](const set& some) { return some.keys < n / valley; });
  large_ = static_cast<std::size_t>(large - sets_.begin());
}

double core_bound::term(std::size_t i, const coring& core) {
  set& some = sets_[i];
  if (std::isnan(some.log_sets)) {
    some.log_sets = log_choose(real(keys_) - 1, some.keys - 1);
    some.log_orders = std::lgamma(real(k_) * some.keys + 1);
  }
  return some.log_sets + core.log_chance(some.keys, some.log_orders);
}

// Uphill from where it was before, by strides at first.
double core_bound::climb(std::size_t first, const coring& core) {
  summit_ = std::max(summit_, first);
  double height = term(summit_, core);
  for (; stride_ > 0; stride_ /= 2) {
    for (bool higher = true; higher;) {
      higher = false;
      for (const std::size_t next :
           {summit_ + stride_, summit_ - std::min(stride_, summit_ - first)}) {
        if (next >= sets_.size() || next == summit_) continue;
        const double there = term(next, core);
        if (there <= height) continue;
        height = there;
        summit_ = next;
        higher = true;
        break;
      }
    }
  }
  stride_ = 1;
  return height;
}

double core_bound::log_chance_of_few(std::uint64_t m) {
  constexpr std::size_t few = 4;
  if (sets_.empty() || m < k_) return 0;
  const coring core(m, k_);
  double sum = 0;
  for (std::size_t i = 0; i < std::min(few, sets_.size()); ++i) sum += std::exp(term(i, core));
  return std::log(sum);
}

double core_bound::log_chance_of_many(std::uint64_t m) {
  if (sets_.empty() || m < k_) return 0;
  return climb(large_, coring(m, k_));
}

double core_bound::log_chance(std::uint64_t m) {
  if (keys_ < 2) return -std::numeric_limits<double>::infinity();
  if (m < k_) return 0;
  const coring core(m, k_);
  // From step to step the larger end counts.
  const auto weight = [&](std::size_t i) {
    return sets_[i].keys <= real(small_set) ? 1 : sets_[i].keys - sets_[i - 1].keys;
  };
  const std::size_t end = sets_.size();
  double small = 0;
  double before = 0;
  std::size_t i = 0;
  for (; i < end; ++i) {
    const double here = term(i, core);
    const bool singly = sets_[i].keys <= real(small_set);
    small += weight(i) * std::exp(singly ? here : std::max(here, before));
    if (i > 0 && here < before && here < std::log(small) - negligible) break;
    before = here;
  }
  if (std::max(i, large_) >= end) return std::log(small);
  const double height = climb(std::max(i, large_), core);
  if (height < std::log(small) - negligible) return std::log(small);
  const double scale = std::max(0.0, height);
  double large = 0;
  const auto add = [&](std::size_t at, double larger) {
    large += weight(at) * std::exp(larger - scale);
  };
  double last = height;
  for (std::size_t at = summit_ + 1; at < end && last > height - negligible; ++at) {
    add(at, last);
    last = term(at, core);
  }
  last = height;
  for (std::size_t at = summit_; at > i && last > height - negligible; --at) {
    add(at, last);
    last = term(at - 1, core);
  }
  return scale + std::log(small * std::exp(-scale) + large);
}

double core_probability(std::uint64_t m, std::uint64_t keys, std::uint64_t k) {
  return std::min(1.0, std::exp(core_bound(keys, k).log_chance(m)));
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
