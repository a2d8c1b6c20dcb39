// What keys do to the counters of their lines, in batches.
//
// Purpose:   the vector code under blocked counting filters; counter_line_kernels.inl has it once for all
//            back ends. Counters are those of hash::lane_cells, in lines as bits::line_counters has them.
// Cost:      the counters of several keys are chosen at once, and those of one key changed at once.
// Guarantee: for up to 8 hashes. All back ends leave and see the same counters. Of a batch, keys take effect
//            in their order.
//
//     alignas(64) std::array<std::uint64_t, 16> words{};
//     const bloomery::hash::lane_cells pattern(6, 21);
//     const bloomery::bits::counter_lines lines(pattern, words.data(), 2, 3);
//     const auto& run = bloomery::bits::counter_line_kernels_now().digests;
//     const std::array<bloomery::digest, 2> keys{{{1, 2}, {3, 4}}};
//     std::array<bool, 2> answers{};
//     assert(run.raise(lines, bloomery::digest_span(keys).first(1), nullptr) == 1);
//     assert(run.test(lines, keys, answers.data()) == 1 && answers[0] && run.lower(lines, keys) == 1);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/lane_cells.hpp"

namespace bloomery::bits {

// Which lanes a key has counters in: ranks as of hash::lane_ranks, and ones for the lanes left out.
struct lane_choice {
  std::uint64_t ranks;
  std::uint64_t left_out;
};

struct counter_lines {
  counter_lines(const hash::lane_cells& of, std::uint64_t* at, std::uint64_t count, unsigned bits);

  hash::lane_cells pattern;
  std::uint64_t* words;  // only read by `test`
  std::uint64_t blocks;
  unsigned width;
  const lane_choice* choices;
};

// `answers` and `fresh` have a place for each key; `fresh` may be null.
template <class Keys>
struct counter_line_batches {
  // How many keys have no counter at zero.
  std::uint64_t (*test)(const counter_lines& lines, const Keys& keys, bool* answers);
  // Raises each of a key's counters unless it is stuck at its maximum; how many keys were new.
  std::uint64_t (*raise)(const counter_lines& lines, const Keys& keys, bool* fresh);
  // Lowers them, but not those that are stuck, if none is zero and not all are stuck; for how many keys.
  std::uint64_t (*lower)(const counter_lines& lines, const Keys& keys);
};

struct counter_line_kernels {
  counter_line_batches<digest_span> digests;
  counter_line_batches<integer_span> integers;

  [[nodiscard]] const counter_line_batches<digest_span>& of(const digest_span& /*keys*/) const {
    return digests;
  }
  [[nodiscard]] const counter_line_batches<integer_span>& of(const integer_span& /*keys*/) const {
    return integers;
  }
};

const counter_line_kernels& counter_line_kernels_now();

}  // namespace bloomery::bits
