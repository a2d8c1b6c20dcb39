// What a map is given, each key once.
//
// Cost:      sorting.
// Guarantee: the same for every order and number of repeats; a key with two values throws
//            errc::invalid.
//
//     const std::vector<bloomery::keyed_value> given{{{3, 4}, 5}, {{1, 2}, 7}, {{3, 4}, 5}};
//     const auto entries = bloomery::detail::distinct_entries(given);
//     assert(entries.keys.size() == 2 && entries.keys[0] == (bloomery::digest{1, 2}));
//     assert(entries.values[0] == 7 && entries.values[1] == 5);
#pragma once

#include "bloomery/filters/abilities/mapping.hpp"

namespace bloomery::detail {

struct map_entries {
  std::vector<digest> keys;  // in order
  std::vector<std::uint64_t> values;
};

map_entries distinct_entries(entry_span entries, unsigned threads = 1);

}  // namespace bloomery::detail
