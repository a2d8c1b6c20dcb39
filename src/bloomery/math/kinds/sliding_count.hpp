// Counts over a sliding window: rows of counters, each in as many panes as the window has and one more.
//
// Purpose:   size and rate of a count-min sketch that forgets a pane at a time.
// Cost:      microseconds.
// Guarantee: exact: rows are independent, and a column is not zero if one of the arrivals that are kept
//            fell there.
// Citation:  Arasu, Manku 2004 for counts of windows in blocks; Cormode, Muthukrishnan 2005 for the rows.
//
//     const auto size = bloomery::math::plan_sliding_count(10'000, 0.01);
//     assert(size.panes * size.pane + 1 >= 10'000);
//     assert(bloomery::math::sliding_count_rate(size, 1'000'000) <= 0.01);
#pragma once

#include <cstdint>

namespace bloomery::math {

inline constexpr std::uint64_t most_panes = 64;
// What is counted beyond the window is an eighth of it at most.
inline constexpr std::uint64_t planned_panes = 8;

struct sliding_count_size {
  std::uint64_t width;
  std::uint64_t depth;
  std::uint64_t panes;  // that a window has
  std::uint64_t pane;   // arrivals in one
};

// How many of so many arrivals are still counted: those of the last `panes` whole panes, and of the one
// that is being filled.
std::uint64_t arrivals_kept(const sliding_count_size& size, std::uint64_t arrivals);
// The chance that a stranger's count is not 0, after so many distinct arrivals.
double sliding_count_rate(const sliding_count_size& size, std::uint64_t arrivals);
sliding_count_size plan_sliding_count(std::uint64_t keys, double rate);
// Counts are too high by more than ε of a window of so many arrivals, older ones apart, with probability
// δ at most.
sliding_count_size sliding_count_for(double epsilon, double delta, std::uint64_t window);

}  // namespace bloomery::math
