// Every way to remember the latest keys, side by side: memory, errors and cost for one window.
//
// Purpose:   the figure that compares the window kinds, and whoever must choose one.
// Cost:      some ten milliseconds.
// Guarantee: each kind as its own plan sizes it; the rate is the highest at any moment. Kinds that cannot
//            reach the rate are left out.
//
//     const auto ways = bloomery::math::compare_windows(10'000, 0.01);
//     assert(ways.size() == 7 && ways.front().kind == "age-partitioned");
//     assert(ways.front().bits < ways.back().bits);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

struct window_choice {
  std::string_view kind;
  double bits;          // in all
  double rate;          // of strangers, at the worst moment
  double misses;        // of keys that come again after a window; 0: none inside it
  query_cost query;     // cache lines
  double insert_lines;  // that an insertion changes: its key's, and those that age, on average
};

// Windows of this many arrivals, in order of memory.
std::vector<window_choice> compare_windows(std::uint64_t window, double rate);

}  // namespace bloomery::math
