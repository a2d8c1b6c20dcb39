#include "bloomery/math/kinds/choices.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/quadrature.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

double log_binomial(double n, double i, double p) {
  return std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + i * std::log(p) +
         (n - i) * std::log1p(-p);
}

// E[max of d standard normals] = ∫ 1-Φ^d-(1-Φ)^d from 0, d >= 1.
double normal_maximum(std::uint64_t d) {
  const auto f = [&](double x) {
    const double above = std::erfc(x / M_SQRT2) / 2;
    return 1 - power(1 - above, d) - power(above, d);
  };
  return integral(0, 2, f) + integral(2, 4, f) + integral(4, 9, f);
}

// One size of group: how likely it is, and what its candidates throw.
struct group_sort {
  double share;
  std::uint64_t throws;
};
using group_law = std::vector<group_sort>;

// Ones per group when a share `zeros` is left.
double mean_step(const group_law& law, double zeros, std::uint64_t candidates) {
  double sum = 0;
  for (const group_sort& sort : law) {
    sum += sort.share * fewest_ones(sort.throws, zeros, candidates);
  }
  return sum;
}

// The law in u = -ln(zeros): with t groups for each bit, dt/du = zeros/step(zeros). Near u = 0 that
// turns ever faster the more candidates there are, so the first piece is cut finer towards 0, as the
// cubes of even pieces.
template <class Step>
class choice_law {
 public:
  explicit choice_law(Step step) : step_(std::move(step)) {}

  // Groups for each bit that take u from one to the other.
  [[nodiscard]] double groups(double from, double to) const {
    const auto slope = [&](double u) {
      const double zeros = std::exp(-u);
      return zeros / step_(zeros);
    };
    if (from > 0) return integral(from, to, slope);
    const auto graded = [&](double s) { return 3 * s * s * slope(to * s * s * s); };
    return to * (integral(0, 0.5, graded) + integral(0.5, 1, graded));
  }

  [[nodiscard]] double groups_for(double fill) const {
    const double end = -std::log1p(-fill);
    double sum = 0;
    double u = 0;
    while (u < end) {
      sum += groups(u, std::min(end, u + piece));
      u += piece;
    }
    return sum;
  }

  [[nodiscard]] double fill_after(double groups_per_bit) const {
    double u = 0;
    double left = groups_per_bit;
    while (u < most) {
      const double taken = groups(u, u + piece);
      if (!(taken < left)) break;
      left -= taken;
      u += piece;
    }
    // u lies in this piece: halve until Newton's steps stay inside, which soon they all do.
    double low = u;
    double high = u + piece;
    double now = u;
    double taken = 0;
    for (int steps = 0; u < most && steps < 60; ++steps) {
      const double zeros = std::exp(-now);
      const double newton = now + (left - taken) * step_(zeros) / zeros;
      const double next = newton > low && newton < high ? newton : low + (high - low) / 2;
      const double moved = std::abs(next - now);
      now = next;
      if (moved <= 1e-11 * now) break;
      taken = groups(u, now);
      (taken < left ? low : high) = now;
    }
    return -std::expm1(-now);
  }

 private:
  static constexpr double piece = 0.25;
  static constexpr double most = 40;  // no zero among 2^57 bits

  Step step_;
};

// The law of groups that n keys fall into by their hashes; `throws` balls a key.
group_law law_of_groups(std::uint64_t n, std::uint64_t groups, std::uint64_t throws) {
  if (n == 0) return {};
  if (groups == 1) return {{1, n * throws}};
  const double p = 1 / real(groups);
  const double mean = real(n) * p;
  const double reach = 9 * std::sqrt(mean) + 20;
  const auto first = static_cast<std::uint64_t>(std::max(0.0, mean - reach));
  const auto last = static_cast<std::uint64_t>(std::min(real(n), mean + reach));
  const std::uint64_t apart = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(reach / 24));
  group_law law;
  double sum = 0;
  for (std::uint64_t j = first; j <= last; j += apart) {
    const double share = std::exp(log_binomial(real(n), real(j), p));
    sum += share;
    if (share > 1e-12) law.push_back({share, j * throws});
  }
  for (group_sort& sort : law) sort.share /= sum;
  return law;
}

// The k, near the textbook's and above, that wants the fewest bits by bits_for(k).
template <class BitsFor>
std::optional<std::uint64_t> best_hashes_by(double rate, BitsFor bits_for) {
  const double textbook = std::clamp(std::round(-std::log2(rate)), 1.0, real(max_hashes));
  auto best = static_cast<std::uint64_t>(textbook);
  double least = bits_for(best);
  for (std::uint64_t k = best; k < max_hashes; ++k) {
    const double bits = bits_for(k + 1);
    if (!(bits < least)) break;
    best = k + 1;
    least = bits;
  }
  for (std::uint64_t k = best; k > 1; --k) {
    const double bits = bits_for(k - 1);
    if (bits > least) break;
    best = k - 1;
    least = bits;
  }
  return least < real(max_bits) / 2 ? std::optional(best) : std::nullopt;
}

// Up from the limit's own size, which rounding may have left a little short.
template <class RateOf>
std::uint64_t first_within(double guess, double rate, RateOf rate_of) {
  auto bits = static_cast<std::uint64_t>(std::max(1.0, std::ceil(guess * (1 - 1e-9))));
  while (rate_of(bits) > rate) bits += 1 + (bits >> 32);
  return bits;
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
  // The sum of P(X >= i)^d over i >= 1, from where the tail counts down to where it is 1.
  const auto top =
      static_cast<std::uint64_t>(std::min(real(throws), std::ceil(mean + 7 * deviation + 8)));
  double chance = std::exp(log_binomial(real(throws), real(top), zeros));
  double tail = 0;
  double sum = 0;
  const double odds = (1 - zeros) / zeros;
  for (std::uint64_t i = top; i >= 1; --i) {
    tail += chance;
    if (tail >= 1 - 1e-15) return sum + real(i);
    sum += power(tail, candidates);
    chance *= real(i) / real(throws - i + 1) * odds;
  }
  return sum;
}

double two_choice_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  require_filter(m, k);
  return choice_law([&](double zeros) { return fewest_ones(k, zeros, d); })
      .fill_after(real(n) / real(m));
}

double two_choice_instance_rate(double fill, std::uint64_t k, std::uint64_t d) {
  return -std::expm1(real(d) * std::log1p(-instance_rate(fill, k)));
}

double two_choice_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  return two_choice_instance_rate(two_choice_fill(m, n, k, d), k, d);
}

query_cost two_choice_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  const query_cost set = filled_cost(two_choice_fill(m, n, k, d), m, k);
  return {real(d) * set.absent, (real(d) - 1) / 2 * set.absent + set.present};
}

two_choice_size plan_two_choice(std::uint64_t keys, double rate, std::uint64_t d) {
  require_plannable(keys, rate);
  const double of_a_set = -std::expm1(std::log1p(-rate) / real(d));
  const auto bits_for = [&](std::uint64_t k) {
    const choice_law law([&](double zeros) { return fewest_ones(k, zeros, d); });
    return real(keys) / law.groups_for(std::pow(of_a_set, 1 / real(k)));
  };
  const std::optional<std::uint64_t> hashes = best_hashes_by(of_a_set, bits_for);
  if (!hashes) refuse_rate(rate);
  const auto rate_of = [&](std::uint64_t m) { return two_choice_rate(m, keys, *hashes, d); };
  const std::uint64_t bits = first_within(bits_for(*hashes), rate, rate_of);
  return {bits, *hashes, rate_of(bits)};
}

double hash_choice_fill(const hash_choice_size& size, std::uint64_t n) {
  require_filter(size.bits, size.hashes);
  const group_law law = law_of_groups(n, size.groups, size.hashes);
  const std::uint64_t candidates = std::uint64_t{1} << size.choice_bits;
  if (law.empty()) return 0;
  return choice_law([&](double zeros) { return mean_step(law, zeros, candidates); })
      .fill_after(real(size.groups) / real(size.bits));
}

double hash_choice_rate(const hash_choice_size& size, std::uint64_t n) {
  return instance_rate(hash_choice_fill(size, n), size.hashes);
}

query_cost hash_choice_cost(const hash_choice_size& size, std::uint64_t n) {
  const query_cost probes = filled_cost(hash_choice_fill(size, n), size.bits, size.hashes);
  return {1 + probes.absent, 1 + probes.present};
}

hash_choice_size plan_hash_choice(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  hash_choice_size size{0, 0, (keys + planned_group_keys - 1) / planned_group_keys,
                        planned_choice_bits};
  const auto bits_for = [&](std::uint64_t k) {
    const group_law sorts = law_of_groups(keys, size.groups, k);
    const choice_law law([&](double zeros) {
      return mean_step(sorts, zeros, std::uint64_t{1} << planned_choice_bits);
    });
    return real(size.groups) / law.groups_for(std::pow(rate, 1 / real(k)));
  };
  const std::optional<std::uint64_t> hashes = best_hashes_by(rate, bits_for);
  if (!hashes) refuse_rate(rate);
  size.hashes = *hashes;
  size.bits = first_within(bits_for(*hashes), rate, [&](std::uint64_t m) {
    return hash_choice_rate({m, size.hashes, size.groups, size.choice_bits}, keys);
  });
  return size;
}

}  // namespace bloomery::math
