#include "bloomery/math/kinds/variable_signature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

// Σ β^(e+1) for e < count.
double sum_of_powers(double log_beta, double count) {
  if (log_beta == -std::numeric_limits<double>::infinity()) return 0;
  return std::exp(log_beta) * std::expm1(count * log_beta) / std::expm1(log_beta);
}

struct sweep_law {
  double log_beta;  // ln of the chance that an arrival leaves a bit alone
  double share;     // of the bits that an arrival clears
  double round;     // arrivals until all were cleared, the last perhaps with fewer

  explicit sweep_law(const signature_size& shape)
      : log_beta(shape.bits == 1 ? -std::numeric_limits<double>::infinity()
                                 : real(shape.marks) * std::log1p(-1 / real(shape.bits))),
        share(real(shape.swept) / real(shape.bits)),
        round(shape.swept == 0 ? real(max_items) : std::floor(1 / share)) {}

  // The share of bits that were cleared in the last `arrivals` and not set since.
  [[nodiscard]] double cleared(double arrivals) const {
    if (share == 0) return 0;
    const double whole = std::min(arrivals, round);
    const double rest = arrivals > round ? std::max(0.0, 1 - share * round) : 0;
    return share * sum_of_powers(log_beta, whole) + rest * std::exp((round + 1) * log_beta);
  }
  [[nodiscard]] double fill(double arrivals) const {
    const double untouched = std::max(0.0, 1 - share * arrivals);
    const double clear = cleared(arrivals) + untouched * std::exp(arrivals * log_beta);
    return std::clamp(1 - clear, 0.0, 1.0);  // the terms are rounded
  }
};

}  // namespace

double signature_fill(const signature_size& shape, std::uint64_t arrivals) {
  return sweep_law(shape).fill(real(arrivals));
}

double signature_rate(const signature_size& shape, std::uint64_t arrivals) {
  return over_fills(shape.bits, signature_fill(shape, arrivals), [&](double share) {
    return at_least_of(real(shape.hashes), shape.needed, share);
  });
}

double signature_misses(const signature_size& shape, std::uint64_t gap) {
  const sweep_law law(shape);
  const double lost = law.cleared(real(gap));
  const double others = law.fill(real(gap) + 1);
  double misses = 0;
  // j of the key's own bits are lost, and too few others are set to make up for them.
  each_binomial(
      real(shape.marks), lost,
      [&](std::uint64_t j, double term) {
        const std::uint64_t spare = shape.hashes - shape.needed + 1;  // missing that are too many
        const std::uint64_t others_missing = spare > j ? spare - j : 0;
        misses += term * at_least_of(real(shape.hashes - shape.marks), others_missing, 1 - others);
      },
      [&](std::uint64_t j, double) { return j <= shape.marks; });
  return std::min(1.0, misses);
}

// A query stops when k - q + 1 bits are missing: probe j is made if fewer are among the j before.
query_cost signature_cost(const signature_size& shape, std::uint64_t arrivals) {
  const double empty = 1 - signature_fill(shape, arrivals);
  const std::uint64_t enough = shape.hashes - shape.needed + 1;
  double absent = 0;
  for (std::uint64_t j = 0; j < shape.hashes; ++j)
    absent += 1 - at_least_of(real(j), enough, empty);
  return {absent, real(shape.hashes)};
}

namespace {

// The fewest of k bits to ask for, so that a stranger has them with that fill at most so often; k + 1 if none.
std::uint64_t fewest_needed(std::uint64_t k, double fill, double rate) {
  double term = std::pow(fill, real(k));  // all k; then one less at a time
  double sum = 0;
  std::uint64_t set = k;
  for (; set > 0; --set) {
    sum += term;
    if (sum > rate) break;
    term *= real(set) / real(k - set + 1) * (1 - fill) / fill;
  }
  return set + 1;
}

}  // namespace

signature_size plan_signatures(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  constexpr std::array<std::uint64_t, 9> eighths{4, 6, 8, 10, 12, 14, 16, 20, 24};  // of k, swept
  std::optional<signature_size> best;
  for (std::uint64_t k = 1; k <= max_hashes; ++k) {
    for (const std::uint64_t share : eighths) {
      signature_size shape{max_bits, k, k, 1, (k * share + 7) / 8};
      const double load = real(k) / real(shape.swept);  // marks a bit gets in a round
      const double fill = 1 + std::expm1(-load) / load;
      // Most do not beat the best so far. A binomial median is no less than the mean's whole part: where
      // strangers have more bits in the middle than may be asked for of a key, it is missed half the time.
      const std::uint64_t most = best ? best->bits - 1 : max_bits;
      shape.bits = most;
      if (most == 0 || shape.swept > most) continue;
      const double lost = sweep_law(shape).cleared(real(window));
      if (rate < 0.5 && std::floor(real(k) * lost) + std::floor(real(k) * fill) >= real(k))
        continue;
      shape.needed = fewest_needed(k, fill, rate);
      if (shape.needed > k) continue;
      const auto fits = [&](std::uint64_t bits) {
        shape.bits = bits;
        return shape.swept <= bits && signature_misses(shape, window) <= planned_misses &&
               signature_rate(shape, max_items) <= rate;
      };
      if (!fits(most)) continue;  // one trial shows it
      const auto sized = [&](auto chance) {
        return [&shape, chance](std::uint64_t bits) {
          shape.bits = bits;
          return chance(shape);
        };
      };
      const auto for_window = smallest_within(
          3 * real(shape.swept) * real(window), most, planned_misses,
          sized([&](const signature_size& s) { return signature_misses(s, window); }));
      auto bits = for_window;
      if (bits && !fits(std::max(*bits, shape.swept))) {
        const auto for_rate = smallest_within(
            real(*bits), most, rate,
            sized([](const signature_size& s) { return signature_rate(s, max_items); }));
        if (for_rate) bits = std::max(*bits, *for_rate);
      }
      if (bits) bits = std::max(*bits, shape.swept);
      if (!bits || !fits(*bits)) bits = smallest(real(bits.value_or(most)), most, fits);
      if (!bits) continue;
      shape.bits = *bits;
      best = shape;
    }
  }
  if (!best) refuse_window(window, rate, "signatures of at most 64 bits");
  return *best;
}

}  // namespace bloomery::math
