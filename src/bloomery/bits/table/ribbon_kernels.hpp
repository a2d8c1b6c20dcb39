// The inner loops of a ribbon table: looking up, elimination, back substitution.
//
// Purpose:   the vector code under ribbon_table.hpp; ribbon_kernels.inl has it once for all back
//            ends. Integers are hashed on the way.
// Cost:      docs/performance.md has it. Beyond the cache, lines are asked for some steps ahead.
// Guarantee: all back ends compute the same.
//
//     const std::vector<std::uint32_t> blocks(2 * 3 + 7, ~std::uint32_t{0});  // three bits wide
//     const bloomery::bits::ribbon_place place{.word = 0, .coefficients = 0b111, .shift = 5};
//     assert(bloomery::bits::chosen_ribbon_kernels().value(blocks.data(), 3, place) == 0b111);
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/bits/table/ribbon_lane.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"

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

class ribbon_probe;

// A table, and where keys lie in it.
struct ribbon_words {
  const std::uint32_t* words;
  const std::byte* thresholds;
  std::uint64_t bytes;  // of words
  unsigned width;
  std::uint32_t fingerprints;  // those bits of a row
  const ribbon_probe* probe;
};

template <class Keys>
struct ribbon_batches {
  // How many keys have their fingerprint there; `answers` has a place for each.
  std::uint64_t (*matches)(const ribbon_words& table, const Keys& keys, bool* answers);
  // The sum of each key's rows, and its fingerprint.
  void (*values)(const ribbon_words& table, const Keys& keys, std::uint32_t* values,
                 std::uint32_t* fingerprints);
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
  ribbon_batches<digest_span> digests;
  ribbon_batches<integer_span> integers;
  // The sum of one key's rows.
  std::uint32_t (*value)(const std::uint32_t* words, unsigned width, const ribbon_place& at);
  // Until one of ribbon_lanes lanes is done.
  void (*eliminate)(ribbon_lane* lanes);
  // The solution of one lane, or of ribbon_lanes lanes of as many rows each: rows[i] to words[i].
  void (*substitute)(const ribbon_rows* rows, std::uint64_t count, unsigned width,
                     std::uint32_t* const* words);
  void (*substitute_together)(const ribbon_rows* rows, std::uint64_t count, unsigned width,
                              std::uint32_t* const* words);

  [[nodiscard]] const ribbon_batches<digest_span>& of(const digest_span& /*keys*/) const {
    return digests;
  }
  [[nodiscard]] const ribbon_batches<integer_span>& of(const integer_span& /*keys*/) const {
    return integers;
  }
};

const ribbon_kernels& ribbon_kernels_of(core::backend which);
inline const ribbon_kernels& chosen_ribbon_kernels() {
  return ribbon_kernels_of(core::chosen_backend());
}

}  // namespace bloomery::bits
