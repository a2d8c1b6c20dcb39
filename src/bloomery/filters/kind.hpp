// What a kind says about itself, and what every filter carries beside its cells.
//
//     constexpr bloomery::kind_info kind{.name = "mine", .title = "My filter",
//         .answers = "Is x in the set?", .citation = "me, 2026", .header = "mine.hpp"};
//     static_assert(!kind.false_negatives);
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/identity.hpp"

namespace bloomery {

// The rest of a kind's row in the survey's Table II follows from its concepts.
struct kind_info {
  std::string_view name;            // in files and commands: a-z, 0-9 and -, at most 23 bytes
  std::string_view title;           // for people
  std::string_view answers;         // the question it answers
  std::string_view citation;        // where it comes from
  std::string_view header{};        // what a program includes; its class there is <name>_filter
  std::string_view by_name_only{};  // why a planner leaves it to those who ask for it by name
  bool false_negatives = false;     // even of keys that it has no leave to forget
  bool fills_with_repeats = false;  // each time a key comes it takes room, or soon fills a counter
  bool declines_erase = false;      // cannot remove every key that is in it
  bool erased_keep_room = false;    // erasing frees none of a key's room, or only a part
  // predicted_rate is the limit for many keys, which small filters miss by some part in their cells;
  // elsewhere it is exact.
  bool rate_is_limit = false;
  std::string_view overflow{};     // what overflows() counts, and what it means for the answers
  bool overflow_planned = false;   // a few are the price of the size, and no defect
  std::string_view unmergeable{};  // why two of them do not make a third
  bool values_may_err = false;     // of a map: a member may get another's value, not only none
};

// What overflow means where counters that are full stay so.
inline constexpr std::string_view counting_overflow =
    "counters are full and stuck: keys there cannot be removed for good, and their counts are only "
    "lower bounds";

// The rate a filter was sized for; no keys means that nothing was promised.
struct promise {
  std::uint64_t keys = 0;
  double rate = 0;
  friend constexpr bool operator==(const promise&, const promise&) = default;
};

struct filter_record {
  hash_identity hash;
  promise promised;
  // Keys inserted and not erased since, repeats counted: an upper bound on distinct keys.
  std::uint64_t items = 0;
};

// What can be told of the counts of all keys at once: `uncertain` of them may be wrong.
struct decoded_counts {
  std::vector<std::uint64_t> counts;
  std::uint64_t uncertain = 0;
};

// One of the keys that occurred most; the label is what the key was called, as far as is known.
struct ranked_key {
  digest key;
  std::uint64_t count = 0;
  std::string label;
};

// What a map is made from.
struct keyed_value {
  digest key;
  std::uint64_t value = 0;
};

// What a map says of a key: not there, its value, or that it is there with a value it cannot tell.
struct mapped {
  enum class state : std::uint8_t { absent, present, unknown };
  state is = state::absent;
  std::uint64_t value = 0;
  friend constexpr bool operator==(const mapped&, const mapped&) = default;
};

// How often a key is asked for, in any unit, and how likely it is a member.
struct key_weight {
  digest key;
  double queries = 0;
  double membership = 0;
};

// Where a text was found: in the source of that number, from that byte on.
struct text_match {
  std::uint64_t source = 0;
  std::uint64_t offset = 0;
  friend constexpr bool operator==(const text_match&, const text_match&) = default;
};

// What inserting a text did: whether anything changed, and for how many keys of a plan it counts.
struct text_insertion {
  bool fresh = false;
  std::uint64_t keys = 0;
};

// The record of a union: a promise survives only if both made the same.
inline filter_record united(const filter_record& a, const filter_record& b) {
  return {a.hash, a.promised == b.promised ? a.promised : promise{},
          std::min(a.items + b.items, max_items)};
}

// The record of an intersection: it holds no more keys than either, but admits more strangers than
// a filter built from them, so nothing is promised.
inline filter_record intersected(const filter_record& a, const filter_record& b) {
  return {a.hash, {}, std::min(a.items, b.items)};
}

}  // namespace bloomery
