#include "bloomery/math/laws/plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/quadrature.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

struct choice {
  std::uint64_t units;
  std::uint64_t hashes;
};

// Total cost, whole units of `of_unit(k)` bits, falls, then rises with k: walk from the textbook k in both
// directions while it helps, or through every k where whole units make the cost jagged. Ties go to fewer
// hashes. Each k is given the most units that would beat the best so far; where they do not do, one trial
// shows it.
template <class UnitsWithin, class OfUnit>
choice best_choice(double rate, UnitsWithin units_within, OfUnit of_unit, bool jagged = false) {
  const double textbook = std::clamp(std::round(-std::log2(rate)), 1.0, real(max_hashes));
  std::optional<choice> best;
  const auto improves = [&](std::uint64_t k) {
    std::uint64_t most = max_bits;  // that would be better
    if (best) most = best->units * of_unit(best->hashes) - (k < best->hashes ? 0 : 1);
    if (most < of_unit(k)) return false;
    const std::optional<std::uint64_t> units = units_within(k, most / of_unit(k));
    if (units) best = choice{*units, k};
    return units.has_value();
  };
  const auto start = static_cast<std::uint64_t>(textbook);
  improves(start);
  for (std::uint64_t k = start - 1; k >= 1; --k) {
    if (!improves(k) && best && !jagged) break;
  }
  for (std::uint64_t k = start + 1; k <= max_hashes; ++k) {
    if (!improves(k) && !jagged) break;
  }
  if (!best) refuse_rate(rate);
  return *best;
}

// The size at which the closed form keeps the rate: mostly the one where the exact rate does, too, which
// two evaluations of it show.
double second_order_bits(std::uint64_t keys, std::uint64_t k, double rate) {
  const double per_hash = -std::log1p(-std::pow(rate, 1 / real(k)));
  const double guess = real(k) * real(keys) / per_hash;
  const auto bits = smallest_within(guess, max_bits, rate,
                                    [&](std::uint64_t m) { return second_order_rate(m, keys, k); });
  return bits ? real(*bits) : guess;
}

// ⌊rate·count⌋ for the real number that was rounded to `rate`, as far as that is known: 0.3 of 10
// is 3, though the double 0.3 is a little less.
std::uint64_t share_of(double rate, std::uint64_t count) {
  constexpr int digits = 53;
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(rate, &exponent), digits);
  const int shift = digits - exponent + 1;  // rate < 1, so exponent <= 0
  if (shift >= 128) return 0;
  const core::uint128 upper_end =
      2 * static_cast<core::uint128>(mantissa) + 1;  // half a unit above
  return std::min(count, static_cast<std::uint64_t>((upper_end * count) >> shift));
}

// ∫ ln(1 + b/x) from x = from to from + width, over pieces that at most double x: the integrand is
// smooth there, having its nearest singularity at 0.
double integral_of_log_ratio(double b, double from, double width) {
  double sum = 0;
  while (width > 0) {
    const double piece = std::min(width, from);
    sum += integral_over(from, piece, [&](double x) { return std::log1p(b / x); });
    from += piece;
    width -= piece;
  }
  return sum;
}

// Σ_{i=1}^{count} ln(1 + b/(first+i)): term by term at first, then Euler and Maclaurin.
double sum_of_log_ratios(double b, double first, std::uint64_t count) {
  constexpr std::uint64_t singly = 128;
  double sum = 0;
  const std::uint64_t head = std::min(count, singly);
  for (std::uint64_t i = 1; i <= head; ++i) sum += std::log1p(b / (first + real(i)));
  if (head == count) return sum;
  const double from = first + real(head) + 0.5;
  const auto width = real(count - head);  // exact, where from + width is not
  const double to = from + width;
  const auto slope = [&](double x) { return -b / (x * (x + b)); };
  const auto third = [&](double x) {
    const double y = x + b;
    return slope(x) * 2 * (x * x + x * y + y * y) / (x * x * y * y);
  };
  return sum + integral_of_log_ratio(b, from, width) - (slope(to) - slope(from)) / 24 +
         7 * (third(to) - third(from)) / 5760;
}

}  // namespace

void require_plannable(std::uint64_t keys, double rate) {
  if (keys < 1 || keys > max_keys) {
    fail(errc::invalid,
         "keys is " + std::to_string(keys) + "; allowed: 1 to " + std::to_string(max_keys));
  }
  if (!(rate > 0 && rate < 1)) {
    fail(errc::invalid, "the false-positive rate is " + format_real(rate, 17) +
                            "; allowed: above 0 and below 1 (0 % and 100 %)");
  }
}

void refuse_rate(double rate) {
  fail(errc::limit, "no filter within " + format_size(max_bits / 8) + " reaches a rate of " +
                        format_ratio(rate));
}

standard_size plan_standard_by(std::uint64_t keys, double rate, const rate_of_units& rate_of) {
  require_plannable(keys, rate);
  const auto bits_within = [&](std::uint64_t k, std::uint64_t most) {
    return smallest_within(second_order_bits(keys, k, rate), most, rate,
                           [&](std::uint64_t m) { return rate_of(m, k); });
  };
  const choice best =
      best_choice(rate, bits_within, [](std::uint64_t) { return std::uint64_t{1}; });
  return {best.units, best.hashes, rate_of(best.units, best.hashes)};
}

standard_size plan_standard(std::uint64_t keys, double rate) {
  return plan_standard_by(keys, rate,
                          [&](std::uint64_t m, std::uint64_t k) { return exact_rate(m, keys, k); });
}

std::uint64_t plan_one_hash(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const auto bits = smallest_within(real(keys) / -std::log1p(-rate), max_bits, rate,
                                    [&](std::uint64_t m) { return exact_rate(m, keys, 1); });
  if (!bits) refuse_rate(rate);
  return *bits;
}

partitioned_size plan_partitioned(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const auto slice_within = [&](std::uint64_t k, std::uint64_t most) {
    const double per_hash = -std::log1p(-std::pow(rate, 1 / real(k)));
    return smallest_within(real(keys) / per_hash, most, rate,
                           [&](std::uint64_t slice) { return partitioned_rate(slice, keys, k); });
  };
  const choice best = best_choice(
      rate, slice_within, [](std::uint64_t k) { return k; }, true);
  return {best.units, best.hashes, partitioned_rate(best.units, keys, best.hashes)};
}

blocked_size plan_blocked_by(std::uint64_t keys, double rate, const lane_block& block,
                             const rate_of_units& rate_of) {
  require_plannable(keys, rate);
  double price = 1;  // of blocks, in bits, as the k before found it
  const auto blocks_within = [&](std::uint64_t k,
                                 std::uint64_t most) -> std::optional<std::uint64_t> {
    if (k > block.most_hashes()) return std::nullopt;
    const double per_hash = -std::log1p(-std::pow(rate, 1 / real(k)));
    const double unblocked = real(k) * real(keys) / per_hash / real(block.bits());
    const auto blocks = smallest_within(unblocked * price, most, rate,
                                        [&](std::uint64_t b) { return rate_of(b, k); });
    if (blocks) price = real(*blocks) / unblocked;
    return blocks;
  };
  const choice best = best_choice(rate, blocks_within, [&](std::uint64_t) { return block.bits(); });
  return {best.units, best.hashes, rate_of(best.units, best.hashes)};
}

blocked_size plan_blocked(std::uint64_t keys, double rate, const lane_block& block) {
  return plan_blocked_by(keys, rate, block, [&](std::uint64_t blocks, std::uint64_t k) {
    return lane_blocked_rate(blocks, keys, recent_load_rates(block, k));
  });
}

std::uint64_t best_hashes(std::uint64_t bits, std::uint64_t keys) {
  const double textbook = real(bits) / real(keys) * M_LN2;
  auto best = static_cast<std::uint64_t>(std::clamp(std::round(textbook), 1.0, real(max_hashes)));
  const auto rate = [&](std::uint64_t k) { return exact_rate(bits, keys, k); };
  while (best > 1 && rate(best - 1) <= rate(best)) --best;
  while (best < max_hashes && rate(best + 1) < rate(best)) ++best;
  return best;
}

double lower_bound_bits_per_key(double rate) {
  return -std::log2(rate);
}

double lower_bound_bits(std::uint64_t keys, double rate, std::uint64_t universe) {
  require_plannable(keys, rate);
  require_whole("universe", universe, keys, max_items);
  // With F accepted and D rejected things besides the n keys the ratio is
  // (F+n+D)!·F!/((F+n)!·(F+D)!): n and D may change places, and the shorter product is summed.
  const std::uint64_t accepted = share_of(rate, universe - keys);
  const std::uint64_t rejected = universe - keys - accepted;
  const auto [fewer, more] = std::minmax(keys, rejected);
  return sum_of_log_ratios(real(more), real(accepted), fewer) / M_LN2;
}

}  // namespace bloomery::math
