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

// A key's line, and the half of the digest that gives its bits.
struct place {
  std::uint64_t* line;
  std::uint64_t bits;
};

struct line_kernels {
  bool (*test_one)(const hash::line_pattern& pattern, const std::uint64_t* line,
                   std::uint64_t bits);
  bool (*set_one)(const hash::line_pattern& pattern, std::uint64_t* line, std::uint64_t bits);
  void (*locate_digests)(const digest_span& keys, std::uint64_t* words, std::uint64_t blocks,
                         place* places);
  void (*locate_integers)(const integer_span& keys, std::uint64_t* words, std::uint64_t blocks,
                          place* places);
  std::uint64_t (*test)(const hash::line_pattern& pattern, const place* places, std::size_t count,
                        bool* answers);
  std::uint64_t (*set)(const hash::line_pattern& pattern, const place* places, std::size_t count);
  // The same bits as all of them, set region by region.
  void (*set_bulk_digests)(const hash::line_pattern& pattern, std::uint64_t* words,
                           std::uint64_t blocks, const digest_span& keys, unsigned threads);
  void (*set_bulk_integers)(const hash::line_pattern& pattern, std::uint64_t* words,
                            std::uint64_t blocks, const integer_span& keys, unsigned threads);
};

const line_kernels& kernels_for(const hash::line_pattern& pattern,
                                core::backend which = core::chosen_backend());

}  // namespace bloomery::bits
