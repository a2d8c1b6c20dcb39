// The slots of a batch of keys of a fuse table, joined: several keys at once.
//
// Purpose:   the batches of bits/table/fuse_table.hpp; fuse_kernels.inl has them once for all back ends.
//            Integers are hashed on the way.
// Cost:      docs/performance.md has it. Beyond the cache, lines are asked for some steps ahead.
// Guarantee: what fuse_probe and a read of its slots answer, bit for bit, on every back end.
// Citation:  Graf, Lemire: Binary Fuse Filters, 2022.
//
//     const bloomery::bits::fuse_layout layout{.segments = 1, .segment_log2 = 3, .arity = 3,
//         .width = 8};
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}};
//     const auto table = bloomery::bits::fuse_table::of_fingerprints(layout, keys);
//     const auto& run = bloomery::bits::fuse_kernels_now().digests;
//     std::array<bool, 2> answers{};
//     assert(run.matches(table.slots(), keys, answers.data()) == 2 && answers[1]);
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/hashed_span.hpp"

namespace bloomery::bits {

// A table, and how the hash of a key in it is made: see fuse_probe.
struct fuse_slots {
  const std::byte* cells;
  std::uint64_t bytes;  // of them, or more
  std::uint64_t lo_key;
  std::uint64_t hi_key;
  std::uint64_t first_slots;  // that a key's first may be
  unsigned segment_log2;
  unsigned arity;
  unsigned width;
  std::uint64_t fingerprints;  // those bits of a slot
};

template <class Keys>
struct fuse_batches {
  // How many keys have their fingerprint there; `answers` has a place for each.
  std::uint64_t (*matches)(const fuse_slots& table, const Keys& keys, bool* answers);
  // What the slots of each key are together, less its fingerprint: zero there if it is there.
  void (*contents)(const fuse_slots& table, const Keys& keys, std::uint64_t* contents);
};

struct fuse_kernels {
  fuse_batches<digest_span> digests;
  fuse_batches<integer_span> integers;

  [[nodiscard]] const fuse_batches<digest_span>& of(const digest_span& /*keys*/) const {
    return digests;
  }
  [[nodiscard]] const fuse_batches<integer_span>& of(const integer_span& /*keys*/) const {
    return integers;
  }
};

const fuse_kernels& fuse_kernels_now();

}  // namespace bloomery::bits
