// Hierarchical filters: how many entries a text makes, how many lookups a candidate takes, and how
// often a stranger passes them.
//
// Purpose:   blocks of s·2^l bytes at level l < `levels`, each stored with its offset `copies` times.
// Guarantee: entries and lookups are exact. The rate is for texts of 2s-1 bytes, the shortest that
//            are searched, at all offsets together; the bound 1-(1-f)^offsets is above the expected
//            one by Jensen's inequality, and by less the larger the filter. Longer texts are rarer.
// Citation:  Shanmugasundaram, Brönnimann, Memon 2004; Tarkoma §III-E.
//
//     assert(bloomery::math::hierarchy_entries(8, 4) == 8 + 4 + 2 + 1);
//     assert(bloomery::math::hierarchy_lookups(0, 8, 4) == 15);  // aligned: 2·8-1
//     assert(bloomery::math::hierarchy_lookups(1, 8, 4) == 8 + 3 + 1);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::math {

// Whole blocks and aligned parents among `blocks` blocks, of which the first is number `first`.
std::uint64_t hierarchy_lookups(std::uint64_t first, std::uint64_t blocks, std::uint64_t levels);

// Whole blocks, at all levels together, of a text of this many blocks.
inline std::uint64_t hierarchy_entries(std::uint64_t blocks, std::uint64_t levels) {
  return hierarchy_lookups(0, blocks, levels);
}

// f^lookups: the chance that one candidate offset passes though nothing of it was stored.
double candidate_rate(std::uint64_t bits, std::uint64_t entries, std::uint64_t hashes,
                      std::uint64_t lookups);

struct hierarchy {
  std::uint64_t block_bytes;  // s
  std::uint64_t levels;
  std::uint64_t copies;       // entries of a block: one for all sources, one for its own
  std::uint64_t text_blocks;  // of the longest text
};

// Offsets at which a text of 2s-1 bytes is looked for, if the longest text has this many blocks.
constexpr std::uint64_t hierarchy_offsets(std::uint64_t block_bytes, std::uint64_t blocks) {
  return blocks == 0 ? 0 : block_bytes * (blocks - 1) + 1;
}

// Of `keys` blocks in all.
double hierarchical_rate(const hierarchy& h, const standard_size& size, std::uint64_t keys);
// Of such a search: absent at every offset, or found halfway through.
query_cost hierarchical_cost(const hierarchy& h, const standard_size& size, std::uint64_t keys);
standard_size plan_hierarchical(const hierarchy& h, std::uint64_t keys, double rate);

}  // namespace bloomery::math
