// Probes that stay in a few cache lines: one line of 512 bits in each of some parts.
//
// Purpose:   some bits in one line of each part, spread over its lanes as blocked_probes spreads them.
// Cost:      two mixes a line.
// Guarantee: lines and positions of different parts share no hash bits; `count` positions in all.
// Citation:  Putze, Sanders, Singler 2007 (blo[X]); that each line has a part of its own is ours.
//
//     const bloomery::hash::multi_blocked_probes probes(10, 2, 3);
//     std::vector<std::uint64_t> lines;
//     bloomery::hash::each_position(probes, {1, 2},
//         [&](std::uint64_t at) { lines.push_back(at / 512); });
//     assert(lines.size() == 6 && lines[0] == lines[2] && lines[0] < 10 && lines[3] >= 10);
#pragma once

#include "bloomery/hash/probes.hpp"

namespace bloomery::hash {

struct multi_blocked_probes {
  std::uint64_t blocks;  // in a part
  std::uint64_t parts;
  std::uint64_t count;
  line_pattern pattern;

  multi_blocked_probes(std::uint64_t of_blocks, std::uint64_t of_parts, std::uint64_t hashes)
      : blocks(of_blocks), parts(of_parts), count(of_parts * hashes), pattern(hashes) {}

  [[nodiscard]] std::uint64_t range() const { return parts * blocks * cache_line_bits; }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    const std::uint64_t step = d.hi | 1;
    std::uint64_t x = d.lo;
    for (std::uint64_t part = 0; part < parts; ++part, x += 2 * step) {
      const std::uint64_t base = (part * blocks + reduce(mix(x), blocks)) * cache_line_bits;
      if (!pattern.all(mix(x + step), [&](unsigned at) { return visit(base + at); })) return false;
    }
    return true;
  }
};

}  // namespace bloomery::hash
