#include "bloomery/math/kinds/forgetting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

[[noreturn]] void refuse(std::uint64_t window, double rate, const char* why) {
  fail(errc::limit, "no window of " + std::to_string(window) + " keys reaches a rate of " +
                        format_ratio(rate) + " within " + why);
}

// Calls visit(j, P(Bin(trials, p) = j)) for j = 0, 1, … while wanted(j); p < 1, and beyond a mean of 700
// the first of them vanish.
template <class Visit, class Wanted>
void each_binomial(double trials, double p, Visit visit, Wanted wanted) {
  double term = std::exp(trials * std::log1p(-p));
  const double odds = p / (1 - p);
  for (std::uint64_t j = 0; wanted(j, term); ++j) {
    visit(j, term);
    term *= std::max(0.0, trials - real(j)) / real(j + 1) * odds;
  }
}

// P(Bin(trials, p) >= hits) for few hits, whatever the number of trials; small ones keep their digits.
double few_or_more(double trials, std::uint64_t hits, double p) {
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

// What happens to one cell with an arrival: set, or else taken down.
struct stable_law {
  double event;  // either
  double down;   // the share of events that take down

  explicit stable_law(const stable_size& shape) {
    const double set = hit_probability(real(shape.cells), real(shape.hashes));
    const double lowered = real(shape.decrements) / real(shape.cells) * (1 - set);
    event = set + lowered;
    down = lowered / event;
  }
};

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

double stable_fill(const stable_size& shape, std::uint64_t arrivals) {
  const stable_law law(shape);
  const double n = real(arrivals);
  if (law.event >= 1) return n == 0 ? 0 : 1 - std::pow(law.down, std::min(n, real(shape.highest)));
  double fill = few_or_more(n, shape.highest, law.event) * stable_limit(shape);
  each_binomial(
      n, law.event,
      [&](std::uint64_t j, double term) { fill += term * (1 - std::pow(law.down, real(j))); },
      [&](std::uint64_t j, double) { return j < shape.highest; });
  return std::min(fill, 1.0);  // the terms are rounded
}

double stable_limit(const stable_size& shape) {
  return 1 - std::pow(stable_law(shape).down, real(shape.highest));
}

double stable_rate(const stable_size& shape, std::uint64_t arrivals) {
  return std::pow(stable_fill(shape, arrivals), real(shape.hashes));
}

double stable_misses(const stable_size& shape, std::uint64_t gap) {
  const stable_law law(shape);
  const double lost =
      std::pow(law.down, real(shape.highest)) * few_or_more(real(gap), shape.highest, law.event);
  return -std::expm1(real(shape.hashes) * std::log1p(-lost));
}

double stable_decrements(std::uint64_t cells, std::uint64_t hashes, std::uint64_t highest,
                         double rate) {
  const double zeros = 1 - std::pow(rate, 1 / real(hashes));
  const double down = std::pow(zeros, 1 / real(highest));
  const double set = hit_probability(real(cells), real(hashes));
  return real(cells) * down * set / ((1 - down) * (1 - set));
}

stable_size plan_stable(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  std::optional<stable_size> best;
  double least = real(max_bits) + 1;
  const auto most_hashes = static_cast<std::uint64_t>(
      std::clamp(std::ceil(-std::log2(rate)) + 1, 1.0, real(max_hashes)));
  for (const std::uint64_t bits : {1U, 2U, 4U}) {
    for (std::uint64_t k = 1; k <= most_hashes; ++k) {
      const auto shape_of = [&](std::uint64_t cells) {
        const std::uint64_t highest = (std::uint64_t{1} << bits) - 1;
        const double exact = stable_decrements(cells, k, highest, rate);
        const double down = exact < real(cells) ? std::ceil(exact) : real(cells);
        return stable_size{cells, k, highest, static_cast<std::uint64_t>(down)};
      };
      const auto cells = smallest(10 * real(window), max_bits / bits, [&](std::uint64_t m) {
        const stable_size shape = shape_of(m);
        return std::pow(stable_limit(shape), real(k)) <= rate &&
               stable_misses(shape, window) <= planned_misses;
      });
      if (!cells || real(*cells * bits) >= least) continue;
      best = shape_of(*cells);
      least = real(*cells * bits);
    }
  }
  if (!best) refuse(window, rate, "the limits of size");
  return *best;
}

std::uint64_t half_full(std::uint64_t bits) {
  return (bits + 1) / 2;
}

std::uint64_t buffered_window(const buffer_size& shape) {
  return (half_full(shape.bits) + shape.hashes - 1) / shape.hashes;
}

double buffered_rate(const buffer_size& shape, std::uint64_t arrivals) {
  const double unswapped = exact_rate(shape.bits, arrivals, shape.hashes);
  return arrivals <= 2 * buffered_window(shape) ? unswapped
                                                : std::min(unswapped, buffered_peak(shape));
}

namespace {

// The size of the union of two random sets has the hypergeometric variance.
double united_rate(const buffer_size& shape, double first_bits, double second_bits) {
  const double m = real(shape.bits);
  const double k = real(shape.hashes);
  const double first = std::min(1.0, first_bits / m);
  const double second = std::max(0.0, second_bits / m);
  const double fill = 1 - (1 - first) * (1 - second);
  const double variance = first * second * (1 - first) * (1 - second) / std::max(1.0, m - 1);
  return std::min(1.0, std::pow(fill, k) * (1 + k * (k - 1) / 2 * variance / (fill * fill)));
}

}  // namespace

// The active buffer had from half to k - 1 bits more set when it took over; the bits set since are
// those of the other, which the next key brings to half: one to k are missing.
double buffered_peak(const buffer_size& shape) {
  const double half = real(half_full(shape.bits));
  return united_rate(shape, half + real(shape.hashes) - 1, half - 1);
}

double buffered_least_peak(const buffer_size& shape) {
  const double half = real(half_full(shape.bits));
  return united_rate(shape, half, half - real(shape.hashes));
}

buffer_size plan_buffers(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  std::optional<buffer_size> best;
  for (std::uint64_t k = 1; k <= max_hashes; ++k) {
    if (std::pow(0.75, real(k)) > rate || window > max_bits / 4 / k) continue;
    const std::uint64_t enough = 2 * k * (window - 1) + 1;  // for the window
    const auto bits = smallest(real(enough), max_bits / 2, [&](std::uint64_t m) {
      return m >= enough && buffered_peak({m, k}) <= rate;
    });
    if (bits && (!best || *bits < best->bits)) best = buffer_size{*bits, k};
  }
  if (!best) refuse(window, rate, "two buffers of at most 64 hashes, which end at 1e-8");
  // Before the first swap the rate is another, and lower.
  while (buffered_rate(*best, 2 * buffered_window(*best)) > rate) ++best->bits;
  return *best;
}

double at_least_of(std::uint64_t trials, std::uint64_t hits, double p) {
  return few_or_more(real(trials), hits, p);
}

double signature_fill(const signature_size& shape, std::uint64_t arrivals) {
  return sweep_law(shape).fill(real(arrivals));
}

double signature_rate(const signature_size& shape, std::uint64_t arrivals) {
  return at_least_of(shape.hashes, shape.needed, signature_fill(shape, arrivals));
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
        misses += term * at_least_of(shape.hashes - shape.marks, others_missing, 1 - others);
      },
      [&](std::uint64_t j, double) { return j <= shape.marks; });
  return std::min(1.0, misses);
}

// A query stops when k - q + 1 bits are missing: probe j is made if fewer are among the j before.
query_cost signature_cost(const signature_size& shape, std::uint64_t arrivals) {
  const double empty = 1 - signature_fill(shape, arrivals);
  const std::uint64_t enough = shape.hashes - shape.needed + 1;
  double absent = 0;
  for (std::uint64_t j = 0; j < shape.hashes; ++j) absent += 1 - at_least_of(j, enough, empty);
  return {absent, real(shape.hashes)};
}

signature_size plan_signatures(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  constexpr std::array<std::uint64_t, 9> eighths{4, 6, 8, 10, 12, 14, 16, 20, 24};  // of k, swept
  std::optional<signature_size> best;
  for (std::uint64_t k = 1; k <= max_hashes; ++k) {
    for (const std::uint64_t share : eighths) {
      signature_size shape{max_bits, k, k, 1, (k * share + 7) / 8};
      const double load = real(k) / real(shape.swept);  // marks a bit gets in a round
      const double fill = 1 + std::expm1(-load) / load;
      while (shape.needed <= k && at_least_of(k, shape.needed, fill) > rate) ++shape.needed;
      if (shape.needed > k) continue;
      const auto fits = [&](std::uint64_t bits) {
        shape.bits = bits;
        return shape.swept <= bits && signature_misses(shape, window) <= planned_misses &&
               signature_rate(shape, max_items) <= rate;
      };
      // Most do not beat the best so far, and one trial shows it.
      const std::uint64_t most = best ? best->bits - 1 : max_bits;
      if (most == 0 || !fits(most)) continue;
      const auto bits = smallest(3 * real(shape.swept) * real(window), most, fits);
      if (!bits) continue;
      shape.bits = *bits;
      best = shape;
    }
  }
  if (!best) refuse(window, rate, "signatures of at most 64 bits");
  return *best;
}

}  // namespace bloomery::math
