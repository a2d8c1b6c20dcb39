#include "bloomery/math/plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/false_positive.hpp"

namespace bloomery::math {
namespace {

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

// The smallest size in 1..most for which a monotone `fits` holds, found by doubling steps away from
// a guess and then halving.
template <class Fits>
std::optional<std::uint64_t> smallest(double guess, std::uint64_t most, Fits fits) {
  std::uint64_t high =
      guess < static_cast<double>(most) ? static_cast<std::uint64_t>(std::max(1.0, guess)) : most;
  std::uint64_t low = 0;  // never fits
  std::uint64_t step = std::max<std::uint64_t>(1, high / 1024);
  if (fits(high)) {
    while (high - low > step && fits(high - step)) {
      high -= step;
      step *= 2;
    }
    low = high > step ? high - step : 0;
  } else {
    do {
      if (high == most) return std::nullopt;
      low = high;
      high = most - high > step ? high + step : most;
      step *= 2;
    } while (!fits(high));
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

struct choice {
  std::uint64_t units;
  std::uint64_t hashes;
};

// Total cost falls, then rises with k: walk from the textbook k in both directions while it helps,
// or through every k where whole units make the cost jagged. Ties go to fewer hashes.
template <class UnitsFor, class Cost>
choice best_choice(double rate, UnitsFor units_for, Cost cost, bool jagged = false) {
  const double textbook =
      std::clamp(std::round(-std::log2(rate)), 1.0, static_cast<double>(max_hashes));
  std::optional<choice> best;
  const auto improves = [&](std::uint64_t k) {
    const std::optional<std::uint64_t> units = units_for(k);
    if (!units) return false;
    const choice candidate{*units, k};
    const bool better = !best || cost(candidate) < cost(*best) ||
                        (cost(candidate) == cost(*best) && k < best->hashes);
    if (better) best = candidate;
    return better;
  };
  const auto start = static_cast<std::uint64_t>(textbook);
  improves(start);
  for (std::uint64_t k = start - 1; k >= 1; --k) {
    if (!improves(k) && best && !jagged) break;
  }
  for (std::uint64_t k = start + 1; k <= max_hashes; ++k) {
    if (!improves(k) && !jagged) break;
  }
  if (!best) {
    fail(errc::limit, "no filter within " + format_size(max_bits / 8) + " reaches a rate of " +
                          format_ratio(rate));
  }
  return *best;
}

}  // namespace

standard_size plan_standard(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const auto bits_for = [&](std::uint64_t k) {
    const double per_hash = -std::log1p(-std::pow(rate, 1 / static_cast<double>(k)));
    const double guess = static_cast<double>(k) * static_cast<double>(keys) / per_hash;
    return smallest(guess, max_bits,
                    [&](std::uint64_t m) { return exact_rate(m, keys, k) <= rate; });
  };
  const choice best = best_choice(rate, bits_for, [](choice c) { return c.units; });
  return {best.units, best.hashes, exact_rate(best.units, keys, best.hashes)};
}

partitioned_size plan_partitioned(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const auto slice_for = [&](std::uint64_t k) {
    const double per_hash = -std::log1p(-std::pow(rate, 1 / static_cast<double>(k)));
    return smallest(static_cast<double>(keys) / per_hash, max_bits / k,
                    [&](std::uint64_t slice) { return partitioned_rate(slice, keys, k) <= rate; });
  };
  const choice best = best_choice(
      rate, slice_for, [](choice c) { return c.units * c.hashes; }, true);
  return {best.units, best.hashes, partitioned_rate(best.units, keys, best.hashes)};
}

blocked_size plan_blocked(std::uint64_t keys, double rate, std::uint64_t block_bits) {
  require_plannable(keys, rate);
  const auto blocks_for = [&](std::uint64_t k) {
    const double per_hash = -std::log1p(-std::pow(rate, 1 / static_cast<double>(k)));
    const double unblocked = static_cast<double>(k) * static_cast<double>(keys) / per_hash;
    return smallest(unblocked / static_cast<double>(block_bits), max_bits / block_bits,
                    [&](std::uint64_t b) { return blocked_rate(b, block_bits, keys, k) <= rate; });
  };
  const choice best = best_choice(rate, blocks_for, [](choice c) { return c.units; });
  return {best.units, best.hashes, blocked_rate(best.units, block_bits, keys, best.hashes)};
}

std::uint64_t best_hashes(std::uint64_t bits, std::uint64_t keys) {
  const double textbook = static_cast<double>(bits) / static_cast<double>(keys) * M_LN2;
  auto best = static_cast<std::uint64_t>(
      std::clamp(std::round(textbook), 1.0, static_cast<double>(max_hashes)));
  const auto rate = [&](std::uint64_t k) { return exact_rate(bits, keys, k); };
  while (best > 1 && rate(best - 1) <= rate(best)) --best;
  while (best < max_hashes && rate(best + 1) < rate(best)) ++best;
  return best;
}

double lower_bound_bits_per_key(double rate) {
  return -std::log2(rate);
}

}  // namespace bloomery::math
