// Entries for maps.
#pragma once

#include <vector>

#include "bloomery/filters/abilities/mapping.hpp"
#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// Digests of a stream, with values below `values` that differ from those of another stream.
inline std::vector<keyed_value> numbered_entries(std::uint64_t stream, std::uint64_t count,
                                                 std::uint64_t values) {
  std::vector<keyed_value> entries;
  entries.reserve(count);
  for (const digest d : numbered_digests(stream, count)) {
    entries.push_back({d, hash::mix(d.hi) % values});
  }
  return entries;
}

}  // namespace bloomery::testing
