// Filters whose cells run down: how many arrivals they hold, at what rate, in which size.
//
// Purpose:   the decaying filter, its blocked variant and the time-decaying one. Each is a standard
//            filter of m cells that has seen some number of keys, not always a whole one: those that
//            cells still remember.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: exact until a cell first forgets a key, and for the decaying filter always. Later the
//            expected fill is exact (time-decaying: in the limit of many arrivals in a half-life),
//            and the rate is that of a standard filter with this fill.
// Citation:  decaying and blocked: Shen, Zhang 2008 (Tarkoma §III-H), window and lifetimes derived;
//            time-decaying: Cheng et al. 2005, the law of its cells by Dickman's distribution (ours).
//
//     assert(std::abs(bloomery::math::decaying_rate(8000, 5, 1000, 5000) - 0.0217) < 5e-5);
//     const auto size = bloomery::math::plan_block_decaying(10'000, 0.01);
//     assert(size.start() == 3 && size.counter_bits() == 2);
#pragma once

#include <cstdint>

namespace bloomery::math {

// The exact rate of m cells that k probes of each of `keys` keys have marked; fractions count.
double marked_rate(std::uint64_t m, std::uint64_t k, double keys);

// --- Every cell runs down with every arrival: the last `window` arrivals are there, no other.

// A cell holds the arrival that last marked it, round a cycle, or nothing. One bit more than the
// paper's counters leaves as many arrivals to clear a dead cell as it lived.
std::uint64_t stamp_bits(std::uint64_t window);
std::uint64_t stamp_cycle(std::uint64_t window);
// Cells to look at with each arrival, so that none is mistaken for young when the cycle comes round.
std::uint64_t cells_swept(std::uint64_t cells, std::uint64_t window);

double decaying_rate(std::uint64_t cells, std::uint64_t k, std::uint64_t window,
                     std::uint64_t arrivals);

// --- Only one of T blocks runs down with each arrival, by turns.
struct block_decay {
  std::uint64_t blocks;  // T
  std::uint64_t block_cells;
  std::uint64_t hashes;
  std::uint64_t window;

  [[nodiscard]] std::uint64_t cells() const { return blocks * block_cells; }
  [[nodiscard]] std::uint64_t start() const;  // ⌈(window-1)/T⌉ + 1, what a mark counts down from
  [[nodiscard]] std::uint64_t counter_bits() const;
  // A mark is there for as many arrivals, its own counted: at least, and but for blocks - 1.
  [[nodiscard]] std::uint64_t least_life() const { return (start() - 1) * blocks + 1; }
};
double block_decaying_rate(const block_decay& shape, std::uint64_t arrivals);
// The fewest bits. That is with counters of two bits but for the smallest windows.
block_decay plan_block_decaying(std::uint64_t window, double rate);

// --- Cells are sums of weights 2^(-age/half-life); a key is there while its least cell has the weight
// of a single arrival that is a window old.
struct time_decay {
  std::uint64_t cells;
  std::uint64_t hashes;
};
// With `keys` distinct keys spread evenly over a window of this many half-lives. If there were
// others before, their remains add up: then S, the sum, has P(S < x) = x^θ·e^(-γθ)/Γ(1+θ) for x <=
// 1, where θ is the number of marks that a cell gets in half-life/ln 2.
double time_decaying_rate(const time_decay& shape, double keys, double half_lives,
                          bool others_before);
// Half-lives in a planned window: its end weighs 2^-8, so that what is left of older keys costs two
// hundredths of the memory.
inline constexpr std::uint64_t planned_half_lives = 8;
time_decay plan_time_decaying(std::uint64_t keys, double rate, double half_lives);

}  // namespace bloomery::math
