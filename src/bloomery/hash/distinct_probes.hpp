// Probes that never repeat: a set of k cells, every set as likely as any other.
//
// Purpose:   structures that combine the cells of a key by exclusive or, where a cell that came twice
//            would cancel itself.
// Cost:      two multiplies a probe, as uniform_probes, and k²/4 comparisons.
// Guarantee: exactly `count` different positions below `range()`; there must be as many cells.
//
//     const bloomery::hash::positions at =
//         bloomery::hash::positions_of(bloomery::hash::distinct_probes{4, 3}, {1, 2});
//     assert(at.size() == 3 && at[0] != at[1] && at[0] != at[2] && at[1] != at[2]);
#pragma once

#include <cassert>
#include <cstdint>

#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/positions.hpp"

namespace bloomery::hash {

struct distinct_probes {
  std::uint64_t cells;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t range() const { return cells; }

  // Probe i picks one of the cells not yet taken, counted from the left.
  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    assert(count <= cells && count <= max_hashes);
    std::uint64_t taken[max_hashes];  // NOLINT(modernize-avoid-c-arrays): left uninitialised
    std::uint64_t x = d.lo;
    for (std::uint64_t i = 0; i < count; ++i, x += d.hi | 1) {
      std::uint64_t at = reduce(mix(x), cells - i);
      std::uint64_t before = 0;
      for (; before < i && taken[before] <= at; ++before) ++at;
      for (std::uint64_t j = i; j > before; --j) taken[j] = taken[j - 1];
      taken[before] = at;
      if (!visit(at)) return false;
    }
    return true;
  }
};

}  // namespace bloomery::hash
