// What a key does to its line, for one key and for groups whose lines have been asked for.
//
// Purpose:   the vector code under line_probing.hpp; line_kernels.inl has it once for all back ends.
// Guarantee: all back ends leave and see the same bits.
//
//     alignas(64) std::array<std::uint64_t, 8> line{};
//     const bloomery::hash::line_pattern pattern(8);
//     const bloomery::bits::line_kernels& run = bloomery::bits::kernels_for(pattern);
//     assert(run.set_one(pattern, line.data(), 12345) && run.test_one(pattern, line.data(), 12345));
//     assert(!run.set_one(pattern, line.data(), 12345) && !run.test_one(pattern, line.data(), 54321));
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/line_pattern.hpp"

namespace bloomery::bits {

// `answers` and `fresh` have a place for each key; `fresh` may be null.
template <class Keys>
struct line_batches {
  // How many keys have all their bits set.
  std::uint64_t (*test)(const hash::line_pattern& pattern, const std::uint64_t* words,
                        std::uint64_t blocks, const Keys& keys, bool* answers);
  // How many keys were new.
  std::uint64_t (*set)(const hash::line_pattern& pattern, std::uint64_t* words,
                       std::uint64_t blocks, const Keys& keys, bool* fresh);
  // The same bits, set region by region.
  void (*set_bulk)(const hash::line_pattern& pattern, std::uint64_t* words, std::uint64_t blocks,
                   const Keys& keys, unsigned threads);
};

struct line_kernels {
  bool (*test_one)(const hash::line_pattern& pattern, const std::uint64_t* line,
                   std::uint64_t bits);
  bool (*set_one)(const hash::line_pattern& pattern, std::uint64_t* line, std::uint64_t bits);
  line_batches<digest_span> digests;
  line_batches<integer_span> integers;

  [[nodiscard]] const line_batches<digest_span>& of(const digest_span& /*keys*/) const {
    return digests;
  }
  [[nodiscard]] const line_batches<integer_span>& of(const integer_span& /*keys*/) const {
    return integers;
  }
};

const line_kernels& kernels_for(const hash::line_pattern& pattern,
                                core::backend which = core::chosen_backend());

}  // namespace bloomery::bits
