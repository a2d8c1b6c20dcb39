// Sizes of a counting filter whose blocks are cache lines: 8 lanes of ⌊64/width⌋ counters.
//
// Purpose:   the fewest lines, by the exact rate of math/laws/lanes.hpp, of counters wide enough.
// Cost:      milliseconds.
// Guarantee: exact rates. A key adds one to a given counter with probability 1-β, whatever it does to
//            others, so that the counter's law is Bin(n, 1-β): block and counter are drawn anew by
//            every key.
// Citation:  ours.
//
//     const auto size = bloomery::math::plan_line_counters(1'000'000, 0.01);
//     assert(size.counter_bits == 3 && size.hashes == 6 && size.rate <= 0.01);
//     assert(bloomery::math::stuck_share(size.blocks, 1'000'000, size.hashes, 3) < 1e-5);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/lanes.hpp"

namespace bloomery::math {

constexpr lane_block line_of_counters(std::uint64_t width) {
  return {8, 64 / width};
}

// The share of counters that n distinct keys leave at their maximum, 2^width - 1. Exact for k <= 8;
// beyond that a key can add two to one counter, which is left out.
double stuck_share(std::uint64_t blocks, std::uint64_t n, std::uint64_t k, std::uint64_t width);

// The share that the plan allows. It raises the rate by one part in a thousand or less; each time that
// all keys have been replaced by others, as many stick again.
inline constexpr double planned_stuck = 1e-5;

struct line_counter_size {
  std::uint64_t blocks;
  std::uint64_t hashes;
  std::uint64_t counter_bits;  // 2 to 8
  double rate;
};
line_counter_size plan_line_counters(std::uint64_t keys, double rate);

}  // namespace bloomery::math
