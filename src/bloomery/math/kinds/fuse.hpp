// Static functions by peeling: how many slots they need.
//
// Purpose:   (keys, rate) to the shape of a binary fuse filter. A key has `arity` slots in as many
//            consecutive segments; its fingerprint is the exclusive or of the slots' contents.
// Cost:      microseconds.
// Guarantee: one attempt to fill a planned size fails with probability below one in four, and below
//            one in ten from 1,000 keys on (measured; see bits/table/fuse_table_test.cpp). The rate is
//            that of laws/fingerprints.hpp.
// Citation:  Graf, Lemire: Binary Fuse Filters, 2022 (segment lengths and factors, fitted there by
//            experiment). Peeling in coupled segments: Walzer 2021.
//
//     const auto size = bloomery::math::plan_fuse(1'000'000, 3);
//     assert(size.slots() >= 1'125'000 && size.slots() < 1'140'000);
//     assert(bloomery::math::fingerprint_bits(1'000'000, 0.001) == 10);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/fingerprints.hpp"

namespace bloomery::math {

inline constexpr unsigned fuse_hash_bits = 59;  // 64, less what counts a slot's keys while building

struct fuse_size {
  std::uint64_t segments;  // that a key's first slot may lie in
  unsigned segment_log2;   // of the slots in a segment
  unsigned arity;          // slots a key, 3 or 4

  [[nodiscard]] std::uint64_t slots() const { return (segments + arity - 1) << segment_log2; }
};

fuse_size plan_fuse(std::uint64_t keys, unsigned arity);

inline double fingerprint_rate(std::uint64_t keys, unsigned bits) {
  return fingerprint_rate(keys, bits, fuse_hash_bits);
}
inline unsigned fingerprint_bits(std::uint64_t keys, double rate) {
  return fingerprint_bits(keys, rate, fuse_hash_bits);
}

// A query reads all of a key's slots, one in each of `arity` segments, absent or present alike.
query_cost fuse_cost(const fuse_size& size, unsigned bits);

}  // namespace bloomery::math
