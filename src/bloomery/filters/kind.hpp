// What a kind says about itself, and what every filter carries beside its cells.
//
//     constexpr bloomery::kind_info kind{.name = "mine", .title = "My filter",
//         .answers = "Is x in the set?", .citation = "me, 2026", .header = "mine.hpp"};
//     static_assert(!kind.false_negatives);
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "bloomery/core/limits.hpp"
#include "bloomery/hash/identity.hpp"

namespace bloomery {

// The rest of a kind's row in the survey's Table II follows from its concepts.
struct kind_info {
  std::string_view name;      // in files and commands: a-z, 0-9 and -, at most 23 bytes
  std::string_view title;     // for people
  std::string_view answers;   // the question it answers
  std::string_view citation;  // where it comes from
  std::string_view header{};  // what a program includes; its class there is <name>_filter
  bool false_negatives = false;
};

// The rate a filter was sized for; no keys means that nothing was promised.
struct promise {
  std::uint64_t keys = 0;
  double rate = 0;
  friend constexpr bool operator==(const promise&, const promise&) = default;
};

struct filter_record {
  hash_identity hash;
  promise promised;
  std::uint64_t items = 0;  // keys inserted, repeats counted: an upper bound on distinct keys
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
