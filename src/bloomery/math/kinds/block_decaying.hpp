// Block-decaying filters: only one of T blocks runs down with each arrival, by turns.
//
// Purpose:   lifetimes, rate and size.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: exact until a cell first forgets a key. Later the expected fill is exact, and the rate is
//            that of a standard filter with this fill.
// Citation:  Shen, Zhang 2008; Tarkoma §III-H. Window and lifetimes are derived.
//
//     const auto size = bloomery::math::plan_block_decaying(10'000, 0.01);
//     assert(size.start() == 3 && size.counter_bits() == 2);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct block_decay {
  std::uint64_t blocks;  // T
  std::uint64_t block_cells;
  std::uint64_t hashes;
  std::uint64_t window;

  [[nodiscard]] std::uint64_t cells() const { return blocks * block_cells; }
  // What a mark counts down from.
  [[nodiscard]] std::uint64_t start() const { return (window - 1 + blocks - 1) / blocks + 1; }
  [[nodiscard]] std::uint64_t counter_bits() const;
  // A mark is there for as many arrivals, its own counted: at least, and but for blocks - 1.
  [[nodiscard]] std::uint64_t least_life() const { return (start() - 1) * blocks + 1; }
};
double block_decaying_rate(const block_decay& shape, std::uint64_t arrivals);
// The fewest bits. That is with counters of two bits but for the smallest windows.
block_decay plan_block_decaying(std::uint64_t window, double rate);

}  // namespace bloomery::math
