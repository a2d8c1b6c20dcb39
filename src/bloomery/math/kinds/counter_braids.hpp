// Counter braids: how many counters until the counts of all keys can be told.
//
// Purpose:   the size of the layers, and the chance that a key's count stays uncertain.
// Cost:      tens of microseconds; a plan takes a tenth of a millisecond, up to a half for about 1,000 keys.
// Guarantee: of the worst case, where no key's count is the least possible: decoding is then peeling,
//            and a key stays uncertain if it is in the 2-core of the hypergraph of keys and counters,
//            that is in a set of keys whose every counter has two of them (laws/peeling.hpp). The bound
//            is too high near the threshold, so that plans take 1.5 counters a key where 1.23 would do
//            for many keys.
// Citation:  Lu et al. 2008.
//
//     const auto size = bloomery::math::plan_braids(100'000, 0.01);
//     assert(size.first > 122'180 && size.first < 152'000);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct braid_size {
  std::uint64_t first;
  std::uint64_t second;
};

// The share of the first layer's counters that may wrap; the second layer is sized for that.
inline constexpr double planned_wraps = 0.1;

double braid_rate(const braid_size& size, std::uint64_t keys, std::uint64_t k = 3);
braid_size plan_braids(std::uint64_t keys, double rate);

}  // namespace bloomery::math
