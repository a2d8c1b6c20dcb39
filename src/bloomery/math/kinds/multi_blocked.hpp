// Filters that keep a key in one cache line of each of some parts: rate, sizes, fill.
//
// Purpose:   between blocked filters, of one line, and standard ones, of as many as hashes: the loads of
//            several lines even out.
// Cost:      milliseconds for a plan.
// Guarantee: parts share no bits and no hashes, so the rate is exactly that of a blocked filter of one
//            part, to the power of the parts, for any number of keys.
// Citation:  Putze, Sanders, Singler 2007; the exact rate is ours.
//
//     const auto size = bloomery::math::plan_multi_blocked(1'000'000, 0.001, 2);
//     const std::uint64_t bits = 512 * size.parts * size.blocks;
//     assert(bits < 15'100'000 && bits > 14'400'000);  // blocked takes 15.6, standard 14.4
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/lanes.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t max_line_parts = 8;

struct multi_blocked_size {
  std::uint64_t blocks;  // in each part
  std::uint64_t parts;
  std::uint64_t hashes;  // in each line
};

double multi_blocked_rate(const multi_blocked_size& size, std::uint64_t keys);
bit_layout multi_blocked_layout(const multi_blocked_size& size);
// Lines read until one has not got the key.
query_cost multi_blocked_cost(const multi_blocked_size& size, std::uint64_t keys);
multi_blocked_size plan_multi_blocked(std::uint64_t keys, double rate, std::uint64_t parts);

}  // namespace bloomery::math
