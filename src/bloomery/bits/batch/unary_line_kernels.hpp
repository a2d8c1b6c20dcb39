// What keys do to the counters of unary lines, one by one and in batches.
//
// Purpose:   the code under succinct counting filters; unary_line_kernels.inl has it once for all back ends. A
//            line that has spilled, or that an insertion may make spill, is left to bits::unary_lines.
// Cost:      two lines a key. The eight lanes of a line are changed without a branch, and one does not wait
//            for another: each takes a population count and, by BMI2, a deposit of one bit at a rank.
// Guarantee: all back ends leave the same bits. Of a batch, keys take effect in their order.
//
//     bloomery::bits::unary_lines lines(10, 2);
//     const bloomery::hash::line_pattern pattern(6);
//     const auto& run = bloomery::bits::unary_kernels_for(pattern);
//     const std::array<bloomery::digest, 2> keys{{{1, 2}, {3, std::uint64_t{1} << 63}}};
//     assert(run.digests.raise(pattern, lines, keys, nullptr) == 2);
//     assert(run.lower_one(pattern, lines, 0, 2) && run.digests.lower(pattern, lines, keys) == 1);
#pragma once

#include <cstdint>

#include "bloomery/bits/array/unary_lines.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/line_pattern.hpp"

namespace bloomery::bits {

// `fresh` has a place for each key, or is null.
template <class Keys>
struct unary_line_batches {
  // How many keys were new.
  std::uint64_t (*raise)(const hash::line_pattern& pattern, unary_lines& lines, const Keys& keys,
                         bool* fresh);
  // How many keys were there.
  std::uint64_t (*lower)(const hash::line_pattern& pattern, unary_lines& lines, const Keys& keys);
};

struct unary_line_kernels {
  bool (*raise_one)(const hash::line_pattern& pattern, unary_lines& lines, std::uint64_t line,
                    std::uint64_t bits);
  bool (*lower_one)(const hash::line_pattern& pattern, unary_lines& lines, std::uint64_t line,
                    std::uint64_t bits);
  unary_line_batches<digest_span> digests;
  unary_line_batches<integer_span> integers;

  [[nodiscard]] const unary_line_batches<digest_span>& of(const digest_span& /*keys*/) const {
    return digests;
  }
  [[nodiscard]] const unary_line_batches<integer_span>& of(const integer_span& /*keys*/) const {
    return integers;
  }
};

const unary_line_kernels& unary_kernels_for(const hash::line_pattern& pattern,
                                            core::backend which = core::chosen_backend());

}  // namespace bloomery::bits
