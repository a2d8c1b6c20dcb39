// What keys do to k bits or counters each, anywhere in a row of them, in batches.
//
// Purpose:   the vector code under probing.hpp and counting filters; position_kernels.inl has it once for
//            all back ends. Positions are those of hash::uniform_probes and hash::partitioned_probes.
// Cost:      position j of several keys is one vector; beyond the cache, lines are asked for some steps
//            ahead.
// Guarantee: all back ends leave and see the same cells. Of a batch, keys take effect in their order. Up to
//            most_positions for a key; counters of a width that divides 64.
//
//     std::array<std::uint64_t, 16> words{};
//     const bloomery::bits::position_range range(bloomery::hash::uniform_probes{1000, 7});
//     const auto& run = bloomery::bits::position_kernels_now().digests;
//     const std::array<bloomery::digest, 2> keys{{{1, 2}, {3, 4}}};
//     std::array<bool, 2> answers{};
//     assert(run.set_bits(range, words.data(), bloomery::digest_span(keys).first(1), nullptr) == 1);
//     assert(run.test_bits(range, words.data(), keys, answers.data()) == 1 && answers[0]);
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery::bits {

inline constexpr std::uint64_t most_positions = 16;

// Position i of a key is one of `cells`, from i times `stride` on.
struct position_range {
  std::uint64_t cells;
  std::uint64_t count;
  std::uint64_t stride;

  explicit position_range(const hash::uniform_probes& probes)
      : cells(probes.cells), count(probes.count), stride(0) {}
  explicit position_range(const hash::partitioned_probes& probes)
      : cells(probes.slice), count(probes.count), stride(probes.slice) {}

  [[nodiscard]] std::uint64_t end() const { return stride == 0 ? cells : stride * count; }
};

// Counters side by side in 64-bit little-endian words, 2^log2_width bits each.
struct counter_words {
  std::uint64_t* words;  // only read by `test`
  unsigned log2_width;
};

// `answers` and `fresh` have a place for each key; `fresh` may be null.
template <class Keys>
struct position_batches {
  // How many keys have all their bits set.
  std::uint64_t (*test_bits)(const position_range& range, const std::uint64_t* words,
                             const Keys& keys, bool* answers);
  // How many keys were new.
  std::uint64_t (*set_bits)(const position_range& range, std::uint64_t* words, const Keys& keys,
                            bool* fresh);
  // How many keys have no counter at zero.
  std::uint64_t (*test_counters)(const position_range& range, const counter_words& counters,
                                 const Keys& keys, bool* answers);
  // Raises each of a key's counters once, unless it is stuck at its maximum; how many keys were new.
  std::uint64_t (*raise_counters)(const position_range& range, const counter_words& counters,
                                  const Keys& keys, bool* fresh);
  // Lowers them, but not those that are stuck, if none is zero and not all are stuck; for how many keys.
  std::uint64_t (*lower_counters)(const position_range& range, const counter_words& counters,
                                  const Keys& keys);
  // The same bits as set_bits, set region by region.
  void (*set_bulk)(const position_range& range, std::uint64_t* words, const Keys& keys,
                   unsigned threads);
};

struct position_kernels {
  position_batches<digest_span> digests;
  position_batches<integer_span> integers;

  [[nodiscard]] const position_batches<digest_span>& of(const digest_span& /*keys*/) const {
    return digests;
  }
  [[nodiscard]] const position_batches<integer_span>& of(const integer_span& /*keys*/) const {
    return integers;
  }
};

const position_kernels& position_kernels_now();

}  // namespace bloomery::bits
