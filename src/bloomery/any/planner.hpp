// Which kind, and how large: every kind that meets the needs, sized and ranked, and why the others
// do not.
//
// Purpose:   the one place that chooses. It reads the registry, so a kind added there is considered
//            here; what a kind can do comes from its concepts, what it costs from its own formulas.
// Cost:      milliseconds a kind; tens of them when the rate or the number of keys is searched for.
// Guarantee: a choice's predicted rate is at or under the promised one, its size within the memory
//            given. Ranked by size, or with `transmit` by size on the wire, for which bit filters are
//            made sparser (Mitzenmacher 2002). Sizes that are within `near_in_size` of one another
//            count as equal: then kinds that can be united and folded come first, then those that
//            read fewer cache lines. Where a plain set is asked for, the first is of the former. With
//            `fast` the cache lines decide, then the size.
//
//     bloomery::needs wanted;
//     wanted.keys = 10'000'000;
//     wanted.rate = 0.01;
//     const bloomery::recommendation answer = bloomery::recommend(wanted);
//     assert(answer.choices.front().kind->info.name == "blocked");
//     assert(answer.choices.front().predicted_rate <= 0.01);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"

namespace bloomery {

// Two of keys, rate and memory settle the third: given keys alone, the rate is default_rate; keys
// and memory give the lowest rate, memory and rate the most keys, and all three refuse what is too
// large. A set of unknown size may give the keys to start from. A limit on the wire stands for one of
// memory where the rate is open.
struct needs {
  std::optional<std::uint64_t> keys;
  std::optional<double> rate;
  std::optional<std::uint64_t> memory;  // bytes
  bool unknown_size = false;
  bool removals = false;
  bool multiplicity = false;
  std::uint64_t values = 0;               // with each key one of so many; 0: none
  bool window = false;                    // keys: those inside the window
  std::uint64_t window_milliseconds = 0;  // 0: the window is the latest `keys` arrivals
  bool fixed_set = false;                 // all keys are known when the filter is built
  bool merge = false;
  bool transmit = false;              // the size on the wire matters
  std::optional<std::uint64_t> wire;  // bytes, at most; asks for `transmit`
  bool fast = false;                  // memory traffic matters more than size
  double false_negatives = 0;         // the share of keys that may be missed
};

inline constexpr double default_rate = 0.01;
inline constexpr std::uint64_t default_first_keys = 1'000'000;  // where an unknown size starts
inline constexpr double near_in_size = 0.05;
// Nobody who asks for speed means a kind that takes this many times what another does.
inline constexpr double fast_memory = 4;

struct planned_filter {
  const any_kind* kind;
  std::vector<field_value> shape;
  promise promised;
  std::uint64_t bytes;
  double wire_bytes;  // after an ideal coder for bits of its fill; `bytes` if its fill is unknown
  double predicted_rate;  // the highest, of a window
  double predicted_false_negatives;
  math::query_cost cost;
  std::uint64_t values;

  [[nodiscard]] double bits_per_key() const {
    return 8 * static_cast<double>(bytes) / static_cast<double>(promised.keys);
  }
  // log2(1/rate) + log2(values): the fewest bits a key at that rate without false negatives.
  [[nodiscard]] double bound(double rate) const;
  // Bits per key over those of the predicted rate.
  [[nodiscard]] double over_bound() const { return bits_per_key() / bound(predicted_rate); }
  [[nodiscard]] any_filter create(hash_identity hash) const {
    return kind->create(shape, hash, promised);
  }
  [[nodiscard]] any_filter build(std::span<const digest> keys, hash_identity hash,
                                 unsigned threads = 1) const {
    return kind->build(shape, keys, hash, promised, threads);
  }
};

struct left_out {
  const any_kind* kind;
  std::vector<std::string> reasons;
  bool able = false;  // and would do with more memory, or another rate
};

struct recommendation {
  std::vector<planned_filter> choices;  // best first
  std::vector<left_out> others;
};

// The shape of a bit filter that keeps the rate and takes the fewest bytes once compressed: larger,
// sparser, and of fewer hashes than the plan, within `memory` bytes, or if none are given within
// `sparse_memory` times those of the plan. Of any other kind, its plan.
inline constexpr std::uint64_t sparse_memory = 4;
std::vector<field_value> least_on_the_wire(const any_kind& kind, std::uint64_t keys, double rate,
                                           std::optional<std::uint64_t> memory = {});

// The predicted rate with `keys` keys; of a window of arrivals, however many came before: the highest
// there is.
double highest_rate(const any_kind& kind, std::span<const field_value> shape, std::uint64_t keys);

// errc::invalid if the needs contradict each other or leave two of the three open.
recommendation recommend(const needs& wanted, std::span<const kind_ref> among = kinds());

}  // namespace bloomery
