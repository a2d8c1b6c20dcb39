// Counter braids: how many counters until the counts of all keys can be told.
//
// Purpose:   the size of the layers, and the chance that a key's count stays uncertain.
// Cost:      microseconds.
// Guarantee: of the worst case, where no key's count is the least possible: decoding is then peeling,
//            and a key stays uncertain if it is in the 2-core of the hypergraph of keys and counters,
//            that is in a set of keys whose every counter has two of them. The chance is bounded by
//            the expected number of such sets (first moment): never too low, and too high near the
//            threshold, so that plans take 1.5 counters a key where 1.23 would do for many keys.
// Citation:  Lu et al. 2008; peeling thresholds: Molloy 2005; the bound is ours.
//
//     assert(std::abs(bloomery::math::peeling_threshold(3) - 1.2218) < 1e-4);
//     const auto size = bloomery::math::plan_braids(100'000, 0.01);
//     assert(size.first > 122'180 && size.first < 152'000);
#pragma once

#include <cstdint>

namespace bloomery::math {

// Counters a key, below which a random hypergraph of k counters a key has a large 2-core: the
// greatest value of k(1-e^-x)^(k-1)/x; for k = 2 the limit at 0, which is 2.
double peeling_threshold(std::uint64_t k);

// A bound on the chance that a given one of `keys` keys, k of m counters each, is in a 2-core: the sum
// over s of C(n-1, s-1) times the chance that s keys leave no counter with one of them, which is at
// most (ks)!/m^ks·(e^z-z)^m/z^ks for any z > 0, over that k positions differ. From 64 keys on the sum
// goes by steps of two per cent.
double core_probability(std::uint64_t m, std::uint64_t keys, std::uint64_t k = 3);

struct braid_size {
  std::uint64_t first;
  std::uint64_t second;
};

// The share of the first layer's counters that may wrap; the second layer is sized for that.
inline constexpr double planned_wraps = 0.1;

double braid_rate(const braid_size& size, std::uint64_t keys, std::uint64_t k = 3);
braid_size plan_braids(std::uint64_t keys, double rate);

}  // namespace bloomery::math
