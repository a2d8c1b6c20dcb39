// The blocks of a text, each size twice the one below, and digests that say where they stand.
//
// Guarantee: a block of 2^l smallest ones begins at a multiple of its own size in the whole text, so
//            that any part of the text has blocks that the whole text has too.
// Citation:  Shanmugasundaram, Brönnimann, Memon 2004.
//
//     int blocks = 0;
//     bloomery::hash::nested_blocks{.bytes = 4, .levels = 2}.each(1, 3, [&](const auto& block) {
//       ++blocks;
//       return block.at + block.bytes <= 12;
//     });
//     assert(blocks == 4);  // 1, 2 and 3, and 2 with 3
#pragma once

#include <cstdint>

#include "bloomery/core/bytes.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::hash {

struct nested_blocks {
  std::uint64_t bytes;  // of the smallest
  std::uint64_t levels;

  struct block {
    std::uint64_t at;  // in bytes, from the first smallest one
    std::uint64_t number;
    std::uint64_t bytes;
  };

  // Visits all whole blocks of `count` smallest ones, the first of which has the number `first`, until
  // a visit returns false; says whether none did.
  template <class Visit>
  bool each(std::uint64_t first, std::uint64_t count, Visit visit) const {
    for (std::uint64_t level = 0; level < levels; ++level) {
      const std::uint64_t run = std::uint64_t{1} << level;
      for (std::uint64_t at = core::round_up(first, run); at + run <= first + count; at += run) {
        if (!visit(block{(at - first) * bytes, at / run, run * bytes})) return false;
      }
    }
    return true;
  }

  // content ‖ number ‖ source, the content being hashed once for all numbers and sources.
  static digest placed(digest content, std::uint64_t number, std::uint64_t source) {
    const std::uint64_t tag = mix(mix(number) + source * golden);
    return {mix(content.lo ^ tag), mix(content.hi + tag)};
  }
};

}  // namespace bloomery::hash
