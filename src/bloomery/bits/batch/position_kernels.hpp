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

#include "bloomery/bits/array/counter_words.hpp"
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

// What a key does to its counters, of which `count` are at(0), at(1) and so on. Positions count once if
// they repeat, which nothing is lost by saying of those that do not.
namespace one_key {
// 1, or 0 where the position has come before.
template <class At>
std::uint64_t is_first(std::uint64_t j, At at) {
  std::uint64_t first = 1;
  for (std::uint64_t before = 0; before < j; ++before) {
    first &= std::uint64_t{at(before) != at(j)};
  }
  return first;
}
// 1 if one was zero; none is raised beyond its maximum, where it is stuck.
template <class At>
std::uint64_t raise(const counter_words& counters, std::uint64_t count, bool repeats, At at) {
  std::uint64_t is_new = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    const std::uint64_t value = counters.get(at(j));
    const std::uint64_t counts = repeats ? is_first(j, at) : 1;
    is_new |= std::uint64_t{value == 0} & counts;
    counters.change(at(j), std::uint64_t{value != counters.most()} & counts);
  }
  return is_new;
}
// 1 if they were lowered, but for the stuck ones: if none was zero and not all were stuck.
template <class At>
std::uint64_t lower(const counter_words& counters, std::uint64_t count, bool repeats, At at) {
  std::uint64_t none_is_zero = 1;
  std::uint64_t all_are_stuck = 1;
  for (std::uint64_t j = 0; j < count; ++j) {
    const std::uint64_t value = counters.get(at(j));
    none_is_zero &= std::uint64_t{value != 0};
    all_are_stuck &= std::uint64_t{value == counters.most()};
  }
  if ((none_is_zero & (all_are_stuck ^ 1)) == 0) return 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    const std::uint64_t lowers =
        std::uint64_t{counters.get(at(j)) != counters.most()} & (repeats ? is_first(j, at) : 1);
    counters.change(at(j), 0 - lowers);
  }
  return 1;
}
}  // namespace one_key

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
