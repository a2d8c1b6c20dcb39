// The inner loops of a ribbon table: looking up, elimination, back substitution.
//
// Purpose:   the vector code under ribbon_table.hpp; ribbon_kernels.inl has it once for all back
//            ends.
// Guarantee: all back ends compute the same.
//
//     const std::vector<std::uint32_t> blocks(2 * 3 + 7, ~std::uint32_t{0});  // three bits wide
//     const bloomery::bits::ribbon_place place{.word = 0, .coefficients = 0b111, .shift = 5};
//     std::uint32_t value = 0;
//     bloomery::bits::chosen_ribbon_kernels().values(blocks.data(), 3, &place, 1, &value);
//     assert(value == 0b111);
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/bits/table/ribbon_lane.hpp"
#include "bloomery/core/simd.hpp"

namespace bloomery::bits {

// Rows are stored in blocks of 32: for each bit of a value a word, and in it a bit for each row,
// all little-endian. A key's rows begin in one block and end in it, the next, or the one after.
struct ribbon_place {
  std::uint64_t word = 0;  // the first of the block
  std::uint64_t coefficients = 0;
  std::uint32_t shift = 0;  // the row in the block where the equation begins
  std::uint32_t last = 1;   // block that is read, counted from the first: 1 or 2
  std::uint32_t fingerprint = 0;
};

inline constexpr unsigned ribbon_lanes = 4;
// Words are read in groups of eight, up to this many beyond the last.
inline constexpr unsigned ribbon_words_beyond = 7;

// The two sides of equations, each in the row where it begins.
struct ribbon_rows {
  const std::uint64_t* left = nullptr;
  const std::uint32_t* right = nullptr;
};

struct ribbon_kernels {
  void (*values)(const std::uint32_t* words, unsigned width, const ribbon_place* places,
                 std::size_t count, std::uint32_t* values);
  // Until one of ribbon_lanes lanes is done.
  void (*eliminate)(ribbon_lane* lanes);
  // The solution of one lane, or of ribbon_lanes lanes of as many rows each: rows[i] to words[i].
  void (*substitute)(const ribbon_rows* rows, std::uint64_t count, unsigned width,
                     std::uint32_t* const* words);
  void (*substitute_together)(const ribbon_rows* rows, std::uint64_t count, unsigned width,
                              std::uint32_t* const* words);
};

const ribbon_kernels& ribbon_kernels_of(core::backend which);
inline const ribbon_kernels& chosen_ribbon_kernels() {
  return ribbon_kernels_of(core::chosen_backend());
}

}  // namespace bloomery::bits
