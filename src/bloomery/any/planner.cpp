#include "bloomery/any/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/compression.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/search.hpp"

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
  if (wanted.wire && *wanted.wire < 1) {
    fail(errc::invalid, "the size on the wire is 0; allowed: 1 byte or more");
  }
  if (!wanted.keys && !wanted.unknown_size && !(wanted.memory && wanted.rate)) {
    fail(errc::invalid, "how many keys? Needed unless memory and rate are both given");
  }
}

bool sent(const needs& wanted) {
  return wanted.transmit || wanted.wire;
}

// What bars a kind whatever its size.
std::vector<std::string> missing_abilities(const any_kind& kind, const needs& wanted) {
  const bool asks_values = wanted.values != 0;
  const bool asks_membership = !wanted.multiplicity && !asks_values;
  struct condition {
    bool barred;
    const char* reason;
  };
  const std::array conditions{
      condition{kind.can<guards>(), "needs a secret"},
      condition{kind.can<reads_texts>(), "reads texts, not keys"},
      condition{
          asks_membership && !kind.can<asks>() && !kind.can<guards>() && !kind.can<reads_texts>(),
          "does not answer whether a key is present"},
      condition{wanted.removals && !kind.can<erases>(), "cannot remove keys"},
      condition{wanted.removals && kind.can<erases>() && kind.info.declines_erase,
                "cannot remove every key"},
      condition{wanted.removals && kind.info.erased_keep_room,
                "wears out when keys are replaced: removed ones keep their room"},
      condition{(wanted.multiplicity || !wanted.removals) && kind.info.fills_with_repeats,
                "is sized for keys that come once: repeats fill it up"},
      condition{wanted.multiplicity && !kind.can<counts>() && !kind.can<decodes>(),
                "does not count repeats"},
      condition{wanted.multiplicity && !kind.can<counts>() && kind.can<decodes>(),
                "counts repeats only of all keys at once, when told them"},
      condition{!asks_values && kind.can<maps>() && kind.can<inserts>(),
                "is a map; of one value it is a standard filter"},
      condition{asks_values && !kind.can<maps>(), "stores no values"},
      condition{wanted.merge && !kind.can<merges>(), "cannot be merged"},
      condition{wanted.unknown_size && !kind.can<grows>(), "must know how many keys will come"},
      condition{wanted.window && !kind.can<forgets>(), "never forgets a key"},
      condition{wanted.window_milliseconds != 0 && kind.can<forgets>() && !kind.can<keeps_time>(),
                "knows no time"},
      condition{!wanted.window && kind.can<forgets>(), "forgets keys that leave its window"},
      condition{!wanted.fixed_set && !kind.can<inserts>() && !kind.can<reads_texts>() &&
                    (!kind.can<guards>() || kind.can<seals>()),
                "takes no keys once it is built"},
  };
  std::vector<std::string> reasons;
  if (!kind.info.by_name_only.empty()) reasons.emplace_back(kind.info.by_name_only);
  for (const condition& c : conditions) {
    if (c.barred) reasons.emplace_back(c.reason);
  }
  return reasons;
}

double wire_bytes(const any_kind& kind, std::span<const field_value> shape, std::uint64_t keys) {
  if (!kind.can<lays_out>()) return static_cast<double>(kind.payload_bytes(shape));
  const math::bit_layout layout = kind.as<lays_out>().layout(shape);
  const double zeros = layout.expected_zeros(static_cast<double>(keys)) / layout.bits;
  return layout.bits * math::entropy(zeros) / 8;
}

// The least bits, in multiples that any bit filter can be made of, that keep the rate with so many
// hashes; none if those are over `most`.
std::optional<std::vector<field_value>> with_hashes(const any_kind& kind, std::uint64_t hashes,
                                                    const promise& promised, std::uint64_t most) {
  const std::uint64_t grain = cache_line_bits * hashes;
  const double rate = math::with_reserve(promised.rate);
  const auto keeps = [&](std::uint64_t grains) {
    return kind.predicted_rate(kind.as<lays_out>().of_bits(grains * grain, hashes),
                               promised.keys) <= rate;
  };
  const std::uint64_t enough = most / grain;
  if (enough == 0 || !keeps(enough)) return std::nullopt;
  return kind.as<lays_out>().of_bits(math::smallest_in(0, enough, keeps) * grain, hashes);
}

std::vector<field_value> shape_for(const any_kind& kind, const needs& wanted, std::uint64_t keys,
                                   double rate) {
  if (sent(wanted) && kind.can<lays_out>())
    return least_on_the_wire(kind, keys, rate, wanted.memory);
  if (wanted.values != 0) return kind.as<maps>().plan_map(keys, rate, wanted.values);
  if (wanted.window_milliseconds == 0) return kind.plan(keys, rate);
  return kind.as<keeps_time>().plan_time(keys, rate, wanted.window_milliseconds);
}

// Whether the memory wanted, and the bytes to be sent, hold so many keys at that rate.
bool fits(const any_kind& kind, const needs& wanted, std::uint64_t keys, double rate) {
  try {
    const auto shape = shape_for(kind, wanted, keys, rate);
    return (!wanted.memory || kind.payload_bytes(shape) <= *wanted.memory) &&
           (!wanted.wire || wire_bytes(kind, shape, keys) <= static_cast<double>(*wanted.wire));
  } catch (const error& problem) {
    if (problem.code() != errc::limit) throw;
    return false;
  }
}

// The number that the digits stand for, so that it is printed with no more than them.
double rounded_up(double value, int significant) {
  const int exponent = static_cast<int>(std::floor(std::log10(value))) - significant + 1;
  const auto digits = static_cast<std::uint64_t>(std::ceil(value / std::pow(10, exponent)));
  return parse_ratio(std::to_string(digits) + "e" + std::to_string(exponent));
}

// The lowest rate, of three significant figures, that `keys` keys reach in `bytes` bytes. No filter
// without false negatives goes below 2^-(bits per key), so the search starts there.
double lowest_rate(const any_kind& kind, const needs& wanted, std::uint64_t keys,
                   std::uint64_t bytes) {
  constexpr double worst_rate = 0.999;
  constexpr double closeness = 1e-4;  // in bits per key: finer than three figures of the rate
  constexpr int figures = 3;
  const auto rate_of = [](double bits) { return std::exp2(-bits); };
  if (!fits(kind, wanted, keys, worst_rate)) return 1;
  const double beyond = std::min(8 * static_cast<double>(bytes) / static_cast<double>(keys) + 1,
                                 -std::log2(min_rate));
  const auto reached = [&](double bits) { return fits(kind, wanted, keys, rate_of(bits)); };
  const double bits = math::border(-std::log2(worst_rate), beyond, reached, closeness).low;
  return std::clamp(rounded_up(rate_of(bits), figures), min_rate, worst_rate);
}

// The most keys that `memory` bytes hold at `rate`, by the same bound from above; 0 if not one.
std::uint64_t most_keys(const any_kind& kind, const needs& wanted, double rate) {
  const double bound = 8 * static_cast<double>(*wanted.memory) /
                       math::lower_bound_bits_per_key(math::with_reserve(rate));
  const auto too_many =
      static_cast<std::uint64_t>(std::min(bound, static_cast<double>(max_keys))) + 1;
  return math::largest_below(too_many,
                             [&](std::uint64_t keys) { return fits(kind, wanted, keys, rate); });
}

// What to promise: the needs with the open one of keys and rate settled. Throws errc::limit with the
// reason if nothing can be.
promise settled(const any_kind& kind, const needs& wanted) {
  const std::uint64_t bytes =
      std::min(wanted.memory.value_or(max_bits), wanted.wire.value_or(max_bits));
  const auto too_small = [&](const std::string& what) {
    fail(errc::limit, "does not fit " + what + " into " + format_size(bytes));
  };
  if (!wanted.keys && !wanted.unknown_size) {
    const std::uint64_t keys = most_keys(kind, wanted, *wanted.rate);
    if (keys == 0) too_small("one key");
    return {keys, *wanted.rate};
  }
  const std::uint64_t keys = wanted.keys.value_or(default_first_keys);
  if ((wanted.memory || wanted.wire) && !wanted.rate) {
    const double rate = lowest_rate(kind, wanted, keys, bytes);
    if (rate >= 1) too_small(format_count(keys) + (keys == 1 ? " key" : " keys"));
    return {keys, rate};
  }
  return {keys, wanted.rate.value_or(default_rate)};
}

planned_filter plan_kind(const any_kind& kind, const needs& wanted) {
  planned_filter plan{};
  plan.kind = &kind;
  plan.values = std::max<std::uint64_t>(1, wanted.values);
  plan.promised = settled(kind, wanted);
  const std::uint64_t keys = plan.promised.keys;
  plan.shape = shape_for(kind, wanted, keys, plan.promised.rate);
  plan.bytes = kind.payload_bytes(plan.shape);
  plan.wire_bytes = wire_bytes(kind, plan.shape, keys);
  plan.predicted_rate = highest_rate(kind, plan.shape, keys);
  plan.predicted_false_negatives = kind.predicted_false_negatives(plan.shape, keys);
  plan.cost = kind.query_cost(plan.shape, keys);
  if (wanted.memory && plan.bytes > *wanted.memory) {
    fail(errc::limit,
         "takes " + format_size(plan.bytes) + ", over the " + format_size(*wanted.memory));
  }
  if (wanted.wire && plan.wire_bytes > static_cast<double>(*wanted.wire)) {
    fail(errc::limit, "takes " + format_size(static_cast<std::uint64_t>(plan.wire_bytes)) +
                          " on the wire, over the " + format_size(*wanted.wire));
  }
  if (plan.predicted_false_negatives > wanted.false_negatives) {
    fail(errc::limit, "misses up to " + format_ratio(plan.predicted_false_negatives) +
                          " of its keys, over the " + format_ratio(wanted.false_negatives));
  }
  return plan;
}

// Nobody said how much memory there is, but not any amount for a few bytes less on the wire.
void leave_out_the_vast(recommendation& result) {
  std::uint64_t least = max_bits;
  for (const planned_filter& plan : result.choices) least = std::min(least, plan.bytes);
  std::erase_if(result.choices, [&](const planned_filter& plan) {
    if (plan.bytes / sparse_memory <= least) return false;
    result.others.push_back(
        {plan.kind,
         {"takes " + format_size(plan.bytes) + ", over " + std::to_string(sparse_memory) +
          " times what another does; give the memory"},
         true});
    return true;
  });
}

// Who asks for a set, and for nothing that a Bloom filter lacks, asks for a Bloom filter.
bool asks_plain_set(const needs& wanted) {
  return !wanted.removals && !wanted.multiplicity && wanted.values == 0 && !wanted.window &&
         !wanted.fixed_set && !wanted.unknown_size;
}

// Bits that are or-ed together: what people expect of a Bloom filter works with it.
bool is_plain(const any_kind& kind) {
  return kind.can<merges>() && kind.can<folds>();
}

double traffic(const planned_filter& plan) {
  return plan.cost.absent + plan.cost.present;
}

// What a plan costs: its size, or where keys or rate were left open, in which kinds then differ and not in
// size, what part of a key, or of a bit of certainty, a unit of it buys.
double burden(const planned_filter& plan, const needs& wanted) {
  if (!wanted.keys && !wanted.unknown_size) return 1 / static_cast<double>(plan.promised.keys);
  if (!wanted.rate && (wanted.memory || wanted.wire)) return 1 / plan.bound(plan.promised.rate);
  return sent(wanted) ? plan.wire_bytes : static_cast<double>(plan.bytes);
}

void rank(std::vector<planned_filter>& choices, const needs& wanted) {
  if (wanted.fast) {
    double least = std::numeric_limits<double>::infinity();
    for (const planned_filter& plan : choices) least = std::min(least, burden(plan, wanted));
    std::ranges::stable_sort(choices, {}, [&](const planned_filter& plan) {
      const double own = burden(plan, wanted);
      return std::tuple(own > fast_memory * least, traffic(plan), own);
    });
    return;
  }
  // To whom a plain filter will do, one that is not plain is as large as the smallest that is.
  double least = 0;
  if (asks_plain_set(wanted)) {
    for (const planned_filter& plan : choices) {
      if (!is_plain(*plan.kind)) continue;
      const double own = burden(plan, wanted);
      least = least == 0 ? own : std::min(least, own);
    }
  }
  const auto size = [&](const planned_filter& plan) {
    const double own = burden(plan, wanted);
    return is_plain(*plan.kind) ? own : std::max(own, least);
  };
  std::ranges::stable_sort(choices, {}, size);
  for (auto first = choices.begin(); first != choices.end();) {
    const double most = size(*first) * (1 + near_in_size);
    const auto last =
        std::find_if(first, choices.end(), [&](const auto& plan) { return size(plan) > most; });
    std::ranges::stable_sort(first, last, {}, [&](const planned_filter& plan) {
      return std::tuple(!is_plain(*plan.kind), traffic(plan), burden(plan, wanted));
    });
    first = last;
  }
}

}  // namespace

double planned_filter::bound(double rate) const {
  return math::lower_bound_bits_per_key(rate) + std::log2(static_cast<double>(values));
}

std::vector<field_value> least_on_the_wire(const any_kind& kind, std::uint64_t keys, double rate,
                                           std::optional<std::uint64_t> memory) {
  std::vector<field_value> best = kind.plan(keys, rate);
  if (!kind.can<lays_out>()) return best;
  const std::uint64_t most = memory.value_or(sparse_memory * kind.payload_bytes(best));
  if (kind.payload_bytes(best) > most) return best;
  const auto field = std::ranges::find(kind.fields, "hashes", &field_info::name);
  const std::uint64_t most_hashes =
      field == kind.fields.end() ? max_hashes : std::get<std::uint64_t>(field->high);
  // The fewer hashes, the more memory and the less wire: the first that fit are the best.
  for (std::uint64_t hashes = 1; hashes <= most_hashes; ++hashes) {
    const auto sparse = with_hashes(kind, hashes, {keys, rate}, std::min(8 * most, max_bits));
    if (!sparse || kind.payload_bytes(*sparse) > most) continue;
    return wire_bytes(kind, *sparse, keys) < wire_bytes(kind, best, keys) ? *sparse : best;
  }
  return best;
}

double highest_rate(const any_kind& kind, std::span<const field_value> shape, std::uint64_t keys) {
  // Of a window of time nobody knows how many keys come; one of arrivals is fullest at its peak.
  const std::uint64_t peak = kind.can<forgets>() ? kind.as<forgets>().peak(shape) : 0;
  return kind.predicted_rate(shape, peak != 0 ? peak : keys);
}

recommendation recommend(const needs& wanted, std::span<const kind_ref> among) {
  require_sensible(wanted);
  recommendation result;
  for (const any_kind& kind : among) {
    std::vector<std::string> reasons = missing_abilities(kind, wanted);
    const bool able = reasons.empty();
    if (able) {
      try {
        result.choices.push_back(plan_kind(kind, wanted));
        continue;
      } catch (const error& problem) {
        const bool other_values = wanted.values != 0 && problem.code() == errc::invalid;
        if (problem.code() != errc::limit && !other_values) throw;
        reasons.emplace_back(problem.what());
      }
    }
    result.others.push_back({&kind, std::move(reasons), able});
  }
  if (sent(wanted) && !wanted.memory) leave_out_the_vast(result);
  rank(result.choices, wanted);
  return result;
}

}  // namespace bloomery
