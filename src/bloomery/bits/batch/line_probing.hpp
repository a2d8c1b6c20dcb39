// Digests applied to a bit array one whole line at a time: for probes that stay in a block.
//
// Purpose:   as probing.hpp, with all of a key's bits tested or set at once by the kernels that suit
//            the machine. A program compiled for AVX2 gets them inlined for single keys too.
// Cost:      one line per key.
// Guarantee: bit for bit what blocked_probes::all would set and test. Queries may run beside
//            set_shared: they read whole words, each as it was at some moment.
//
//     bloomery::bits::bit_array bits(1024);
//     const bloomery::bits::probing probing(bloomery::hash::blocked_probes(2, 8));
//     assert(probing.set(bits, {1, 2}) && probing.test(bits, {1, 2}));
//     assert(bits.count() == 8 && !probing.test(bits, {3, 4}));
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "bloomery/bits/batch/line_kernels.hpp"
#include "bloomery/bits/batch/probing.hpp"

#if defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>

#include "bloomery/core/bytes.hpp"
#define BLOOMERY_ISA inlined
#define BLOOMERY_TARGET
#define BLOOMERY_VECTOR_BITS 256
#include "bloomery/bits/batch/line_vector.inl"
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS
#endif

namespace bloomery::bits {

template <>
class probing<hash::blocked_probes> {
 public:
  explicit probing(const hash::blocked_probes& probes)
      : blocks_(probes.blocks), pattern_(probes.pattern), run_(&kernels_for(pattern_)) {}

  bool set(bit_array& bits, digest key) const {
    return run_->set_one(pattern_, bits.words() + word(key), key.hi);
  }
  bool set_shared(bit_array& bits, digest key) const {
    return set_line_shared(bits.words() + word(key), key.hi);
  }
  [[nodiscard]] bool test(const bit_array& bits, digest key) const {
    const std::uint64_t* const line = bits.words() + word(key);
#if defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
    if (!pattern_.two_rounds() && pattern_.picks_all_lanes()) {
      return inlined::covered_by<false, true>(pattern_, inlined::load_line(line), key.hi);
    }
#endif
    return run_->test_one(pattern_, line, key.hi);
  }

  template <class Keys>
  std::uint64_t set_all(bit_array& bits, const Keys& keys) const {
    std::uint64_t fresh = 0;
    in_groups(bits.words(), keys, [&](std::size_t, std::span<const place> places) {
      fresh += run_->set(pattern_, places.data(), places.size());
    });
    return fresh;
  }

  template <class Keys>
  std::uint64_t set_all(bit_array& bits, const Keys& keys, std::span<bool> fresh) const {
    std::uint64_t count = 0;
    in_groups(bits.words(), keys, [&](std::size_t first, std::span<const place> places) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        fresh[first + i] = run_->set_one(pattern_, places[i].line, places[i].bits);
        count += std::uint64_t{fresh[first + i]};
      }
    });
    return count;
  }

  // As set_all, in the fastest way for this many keys, without counting.
  template <class Keys>
  void build(bit_array& bits, const Keys& keys, unsigned threads) const {
    // Beyond the last-level cache, and enough keys to fill most lines.
    constexpr std::uint64_t outgrown_blocks = (std::uint64_t{24} << 20) / cache_line_bytes;
    if (blocks_ >= outgrown_blocks && keys.size() >= blocks_) {
      set_bulk(bits.words(), keys, threads);
    } else {
      set_all(bits, keys);  // a second thread would gain nothing: atomics cost what it saves
    }
  }

  template <class Keys>
  std::uint64_t set_all_shared(bit_array& bits, const Keys& keys) const {
    std::uint64_t fresh = 0;
    in_groups(bits.words(), keys, [&](std::size_t, std::span<const place> places) {
      for (const place& at : places) fresh += std::uint64_t{set_line_shared(at.line, at.bits)};
    });
    return fresh;
  }

  template <class Keys>
  std::uint64_t test_all(const bit_array& bits, const Keys& keys, std::span<bool> answers) const {
    assert(keys.size() == answers.size());
    std::uint64_t hits = 0;
    auto* const words = const_cast<std::uint64_t*>(bits.words());  // only read from here
    in_groups(words, keys, [&](std::size_t first, std::span<const place> places) {
      hits += run_->test(pattern_, places.data(), places.size(), answers.data() + first);
    });
    return hits;
  }

 private:
  [[nodiscard]] std::uint64_t word(digest key) const {
    return hash::reduce(key.lo, blocks_) * hash::lane_count;
  }

  template <class Keys, class Act>
  void in_groups(std::uint64_t* words, const Keys& keys, Act act) const {
    constexpr std::size_t group = 32;  // so 32 to 64 keys ahead; 16 starves, 128 crowds the cache
    pipelined<group, place>(
        keys.size(),
        [&](std::size_t first, std::span<place> places) {
          locate(keys.subspan(first, places.size()), words, places.data());
        },
        act);
  }
  void locate(const digest_span& keys, std::uint64_t* words, place* places) const {
    run_->locate_digests(keys, words, blocks_, places);
  }
  void locate(const integer_span& keys, std::uint64_t* words, place* places) const {
    run_->locate_integers(keys, words, blocks_, places);
  }

  void set_bulk(std::uint64_t* words, const digest_span& keys, unsigned threads) const {
    run_->set_bulk_digests(pattern_, words, blocks_, keys, threads);
  }
  void set_bulk(std::uint64_t* words, const integer_span& keys, unsigned threads) const {
    run_->set_bulk_integers(pattern_, words, blocks_, keys, threads);
  }

  // NOLINTNEXTLINE(readability-non-const-parameter): the atomic builtin writes through it
  bool set_line_shared(std::uint64_t* line, std::uint64_t bits) const {
    std::array<std::uint64_t, hash::lane_count> mask{};
    pattern_.all(bits, [&](unsigned at) {
      mask[at / hash::lane_bits] |= std::uint64_t{1} << at % hash::lane_bits;
      return true;
    });
    bool fresh = false;
    for (unsigned i = 0; i < hash::lane_count; ++i) {
      const std::uint64_t wanted = core::little_endian(mask[i]);
      const std::uint64_t lacking = wanted & ~__atomic_load_n(line + i, __ATOMIC_RELAXED);
      if (lacking == 0) continue;  // spares the cache line when nothing changes
      fresh |= (lacking & ~__atomic_fetch_or(line + i, lacking, __ATOMIC_RELAXED)) != 0;
    }
    return fresh;
  }

  std::uint64_t blocks_;
  hash::line_pattern pattern_;
  const line_kernels* run_;
};

}  // namespace bloomery::bits
