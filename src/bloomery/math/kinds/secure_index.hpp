// How many words a text can have.
//
// Purpose:   bounds the words of a document by its length alone, which a server that keeps it knows
//            anyway, so that an index sized by the bound tells nothing more.
// Guarantee: an upper bound of the different words, an empty one among them, each with a byte at its
//            end; reached by words of one byte.
// Citation:  Goh 2003, who takes one word a byte; words of lines do not overlap.
//
//     assert(bloomery::math::most_words(7) == 4);
#pragma once

#include <cstdint>

namespace bloomery::math {

constexpr std::uint64_t most_words(std::uint64_t bytes) {
  return bytes / 2 + bytes % 2;
}

}  // namespace bloomery::math
