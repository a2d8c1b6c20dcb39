// Counters of varying width that several keys share: a key's count is the least of its own.
//
// Purpose:   the counting of spectral Bloom filters, in the primary filter and the secondary.
// Guarantee: the least is never below the number of times that a key was added, if every key that is
//            taken was added.
// Citation:  Cohen, Matias 2003.
//
//     bloomery::bits::least_counters counts({100, 3});
//     const bloomery::hash::positions at = counts.locate({1, 2});
//     assert(counts.add(at, 5) && counts.take(at) && counts.least(at).value == 4);
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "bloomery/bits/array/varying_counters.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery::bits {

class least_counters {
 public:
  struct minimum {
    std::uint64_t value;
    bool recurs;  // in several counters of the key
  };

  explicit least_counters(const hash::uniform_probes& probes)
      : least_counters(probes, varying_counters(probes.cells)) {}
  least_counters(const hash::uniform_probes& probes, varying_counters counters)
      : probes_(probes), counters_(std::move(counters)) {}

  // Each counter once, so that adding and taking agree whatever the hashes repeat.
  [[nodiscard]] hash::positions locate(digest d) const {
    return hash::distinct_positions_of(probes_, d);
  }

  [[nodiscard]] minimum least(const hash::positions& at) const {
    minimum found{std::numeric_limits<std::uint64_t>::max(), false};
    for (const std::uint64_t i : at) {
      const std::uint64_t value = counters_.get(i);
      if (value <= found.value) found = {value, value == found.value};
    }
    return found;
  }

  // True if one of them was 0.
  bool add(const hash::positions& at, std::uint64_t weight) {
    bool fresh = false;
    for (const std::uint64_t i : at) fresh |= counters_.add(i, weight) == 0;
    return fresh;
  }
  // Only to those that are the least; returns what that was.
  std::uint64_t raise(const hash::positions& at) {
    const std::uint64_t before = least(at).value;
    for (const std::uint64_t i : at) {
      if (counters_.get(i) == before) counters_.add(i, 1);
    }
    return before;
  }
  // One of each; nothing, and false, if one of them is 0.
  bool take(const hash::positions& at) {
    if (least(at).value == 0) return false;
    for (const std::uint64_t i : at) counters_.set(i, counters_.get(i) - 1);
    return true;
  }

  [[nodiscard]] const hash::uniform_probes& probes() const { return probes_; }
  [[nodiscard]] const varying_counters& counters() const { return counters_; }
  [[nodiscard]] varying_counters& counters() { return counters_; }

 private:
  hash::uniform_probes probes_;
  varying_counters counters_;
};

}  // namespace bloomery::bits
