#include "bloomery/any/planner.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <variant>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/compression.hpp"
#include "bloomery/math/plan.hpp"

namespace bloomery {
namespace {

void require_sensible(const needs& wanted) {
  if (wanted.keys && (*wanted.keys < 1 || *wanted.keys > max_keys)) {
    fail(errc::invalid,
         "keys is " + format_count(*wanted.keys) + "; allowed: 1 to " + format_count(max_keys));
  }
  if (wanted.rate && !(*wanted.rate >= min_rate && *wanted.rate < 1)) {
    fail(errc::invalid, "the false-positive rate is " + format_real(*wanted.rate) +
                            "; allowed: " + format_real(min_rate) + " to below 1 (100 %)");
  }
  if (wanted.memory && *wanted.memory < 1) {
    fail(errc::invalid, "memory is 0; allowed: 1 byte or more");
  }
  if (!(wanted.false_negatives >= 0 && wanted.false_negatives <= 1)) {
    fail(errc::invalid, "the false-negative rate allowed is " +
                            format_real(wanted.false_negatives) + "; allowed: 0 to 1");
  }
  if (wanted.unknown_size && wanted.fixed_set) {
    fail(errc::invalid, "a fixed set has a known size");
  }
  if (!wanted.keys && !wanted.unknown_size && !(wanted.memory && wanted.rate)) {
    fail(errc::invalid, "how many keys? Needed unless memory and rate are both given");
  }
}

// What bars a kind whatever its size.
std::vector<std::string> missing_abilities(const kind_entry& kind, const needs& wanted) {
  const capabilities& can = kind.can;
  const bool asks_membership = !wanted.multiplicity && !wanted.values;
  struct condition {
    bool barred;
    const char* reason;
  };
  const std::array conditions{
      condition{!can.plan, "cannot be sized for a rate"},
      condition{asks_membership && !can.query, "does not answer whether a key is present"},
      condition{wanted.removals && !can.erase, "cannot remove keys"},
      condition{wanted.multiplicity && !can.count, "does not count repeats"},
      condition{wanted.values && !can.value, "stores no values"},
      condition{wanted.merge && !can.merge, "cannot be merged"},
      condition{wanted.unknown_size && !can.grow, "must know how many keys will come"},
      condition{wanted.window && !can.window, "never forgets a key"},
      condition{!wanted.window && can.window, "forgets keys that leave its window"},
      condition{!wanted.fixed_set && !can.insert, "takes no keys once it is built"},
  };
  std::vector<std::string> reasons;
  for (const condition& c : conditions) {
    if (c.barred) reasons.emplace_back(c.reason);
  }
  return reasons;
}

std::uint64_t bytes_for(const kind_entry& kind, std::uint64_t keys, double rate) {
  return kind.payload_bytes(kind.plan_shape(keys, rate));
}

bool fits(const kind_entry& kind, std::uint64_t keys, double rate, std::uint64_t memory) {
  try {
    return bytes_for(kind, keys, rate) <= memory;
  } catch (const error& problem) {
    if (problem.code() != errc::limit) throw;
    return false;
  }
}

double rounded_up(double value, int significant) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - significant + 1);
  return std::ceil(value / unit) * unit;
}

// The lowest rate, of three significant figures, that `keys` keys reach in `memory` bytes. No filter
// without false negatives goes below 2^-(bits per key), so the search starts there.
double lowest_rate(const kind_entry& kind, std::uint64_t keys, std::uint64_t memory) {
  constexpr double worst_rate = 0.999;
  constexpr double closeness = 1e-4;  // in bits per key: finer than three figures of the rate
  constexpr int figures = 3;
  const auto rate_of = [](double bits) { return std::exp2(-bits); };
  if (!fits(kind, keys, worst_rate, memory)) return 1;
  double reached = -std::log2(worst_rate);
  double beyond = std::min(8 * static_cast<double>(memory) / static_cast<double>(keys) + 1,
                           -std::log2(min_rate));
  while (beyond - reached > closeness) {
    const double middle = reached + (beyond - reached) / 2;
    (fits(kind, keys, rate_of(middle), memory) ? reached : beyond) = middle;
  }
  return std::clamp(rounded_up(rate_of(reached), figures), min_rate, worst_rate);
}

// The most keys that `memory` bytes hold at `rate`, by the same bound from above; 0 if not one.
std::uint64_t most_keys(const kind_entry& kind, double rate, std::uint64_t memory) {
  const double bound =
      8 * static_cast<double>(memory) / math::lower_bound_bits_per_key(math::with_reserve(rate));
  std::uint64_t held = 0;
  auto too_many = static_cast<std::uint64_t>(std::min(bound, static_cast<double>(max_keys))) + 1;
  while (too_many - held > 1) {
    const std::uint64_t middle = held + (too_many - held) / 2;
    (fits(kind, middle, rate, memory) ? held : too_many) = middle;
  }
  return held;
}

// What to promise: the needs with the open one of keys and rate settled. Throws errc::limit with the
// reason if nothing can be.
promise settled(const kind_entry& kind, const needs& wanted) {
  const auto too_small = [&](const std::string& what) {
    fail(errc::limit, "does not fit " + what + " into " + format_size(*wanted.memory));
  };
  if (!wanted.keys && !wanted.unknown_size) {
    const std::uint64_t keys = most_keys(kind, *wanted.rate, *wanted.memory);
    if (keys == 0) too_small("one key");
    return {keys, *wanted.rate};
  }
  const std::uint64_t keys = wanted.keys.value_or(default_first_keys);
  if (wanted.memory && !wanted.rate) {
    const double rate = lowest_rate(kind, keys, *wanted.memory);
    if (rate >= 1) too_small(format_count(keys) + (keys == 1 ? " key" : " keys"));
    return {keys, rate};
  }
  return {keys, wanted.rate.value_or(default_rate)};
}

double wire_bytes(const kind_entry& kind, std::span<const field_value> shape, std::uint64_t keys,
                  std::uint64_t bytes) {
  if (!kind.can.lay_out) return static_cast<double>(bytes);
  const math::bit_layout layout = kind.layout(shape);
  const double zeros = layout.expected_zeros(static_cast<double>(keys)) / layout.bits;
  return layout.bits * math::entropy(zeros) / 8;
}

planned_filter plan_kind(const kind_entry& kind, const needs& wanted) {
  planned_filter plan{};
  plan.kind = &kind;
  plan.promised = settled(kind, wanted);
  const std::uint64_t keys = plan.promised.keys;
  plan.shape = kind.plan_shape(keys, plan.promised.rate);
  plan.bytes = kind.payload_bytes(plan.shape);
  plan.wire_bytes = wire_bytes(kind, plan.shape, keys, plan.bytes);
  plan.predicted_rate = kind.predicted_rate(plan.shape, keys);
  plan.predicted_false_negatives = kind.predicted_false_negatives(plan.shape, keys);
  plan.cost = kind.query_cost(plan.shape, keys);
  if (wanted.memory && plan.bytes > *wanted.memory) {
    fail(errc::limit,
         "takes " + format_size(plan.bytes) + ", over the " + format_size(*wanted.memory));
  }
  if (plan.predicted_false_negatives > wanted.false_negatives) {
    fail(errc::limit, "misses up to " + format_ratio(plan.predicted_false_negatives) +
                          " of its keys, over the " + format_ratio(wanted.false_negatives));
  }
  return plan;
}

}  // namespace

double planned_filter::bits_per_key() const {
  return 8 * static_cast<double>(bytes) / static_cast<double>(promised.keys);
}

double planned_filter::over_bound() const {
  return bits_per_key() / math::lower_bound_bits_per_key(predicted_rate);
}

recommendation recommend(const needs& wanted, std::span<const kind_entry> among) {
  require_sensible(wanted);
  recommendation result;
  for (const kind_entry& kind : among) {
    std::vector<std::string> reasons = missing_abilities(kind, wanted);
    if (reasons.empty()) {
      try {
        result.choices.push_back(plan_kind(kind, wanted));
        continue;
      } catch (const error& problem) {
        if (problem.code() != errc::limit) throw;
        reasons.emplace_back(problem.what());
      }
    }
    result.others.push_back({&kind, std::move(reasons)});
  }
  // The size that matters per key and per bit of certainty: with keys or rate left open the kinds
  // differ in those and not in size.
  const auto rank = [&](const planned_filter& plan) {
    const double size = wanted.transmit ? plan.wire_bytes : static_cast<double>(plan.bytes);
    if (!wanted.keys && !wanted.unknown_size) {
      return std::tuple(-static_cast<double>(plan.promised.keys), size, plan.cost.absent);
    }
    if (!wanted.rate && wanted.memory) {
      return std::tuple(plan.promised.rate, size, plan.cost.absent);
    }
    return std::tuple(size, plan.cost.absent, plan.cost.present);
  };
  std::stable_sort(
      result.choices.begin(), result.choices.end(),
      [&](const planned_filter& a, const planned_filter& b) { return rank(a) < rank(b); });
  return result;
}

}  // namespace bloomery
