// Sizes of a counting filter whose counters are unary codes, one string for each lane of a line.
//
// Purpose:   the blocks and hashes that take the fewest bits in all, and how many lines to spill to.
// Layout:    a string is as long as its lane has had increments: 63 bits have room at home, and each line
//            spilled to holds 64 more of every string of one line.
// Cost:      some hundred microseconds.
// Guarantee: the rate is exact, that of math/laws/lanes.hpp. How likely a line spills is exact where every
//            lane gets the same number of bits (k = 8 or 16) and else at most what is said, by the union
//            bound over its eight lanes. How likely the table is too small is a bound.
// Citation:  ours. Lines share the keys among them, so that those which spill are negatively associated
//            (Joag-Dev, Proschan 1983; Dubhashi, Ranjan 1998), and Chernoff's bound for binomials holds.
//
//     const auto size = bloomery::math::plan_unary_lines(1'000'000, 0.0083);
//     assert(size.rate <= 0.0083 && size.hashes == 6);
//     const std::uint64_t bits = 1024 * size.blocks + 576 * size.spill;
//     assert(bits < 20'900'000);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct unary_line {
  static constexpr std::uint64_t lanes = 8;
  static constexpr std::uint64_t home = 63;
  static constexpr std::uint64_t further = 64;
};

// P(one of a line's strings is longer than `length`), of `blocks` lines and n keys; at most that.
double longer_share(std::uint64_t blocks, std::uint64_t n, std::uint64_t k, std::uint64_t length);

// P(n keys want more than `spill` lines to spill to), at most.
double freeze_tail(std::uint64_t blocks, std::uint64_t n, std::uint64_t k, std::uint64_t spill);

// What the plan allows.
inline constexpr double planned_freeze = 1e-9;

struct unary_line_size {
  std::uint64_t blocks;
  std::uint64_t hashes;
  std::uint64_t spill;
  double rate;
};
unary_line_size plan_unary_lines(std::uint64_t keys, double rate);

}  // namespace bloomery::math
