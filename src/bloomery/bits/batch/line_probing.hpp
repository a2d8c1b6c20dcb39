// Digests applied to a bit array one whole line at a time: for probes that stay in a block.
//
// Purpose:   as probing.hpp, with all of a key's bits tested or set at once by the kernels that suit
//            the machine; for single keys of up to 8 bits they are inlined (one_line.hpp).
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
#include "bloomery/bits/batch/one_line.hpp"
#include "bloomery/bits/batch/probing.hpp"

namespace bloomery::bits {

template <>
class probing<hash::blocked_probes> {
 public:
  explicit probing(const hash::blocked_probes& probes)
      : blocks_(probes.blocks),
        pattern_(probes.pattern),
        which_(core::inlined_backend()),
        run_(&kernels_for(pattern_)) {
#if BLOOMERY_INLINE_VECTORS
    in_one_vector_ =
        which_ == core::backend::avx512 && pattern_.picks_all_lanes() && !pattern_.two_rounds();
#endif
  }

  bool set(bit_array& bits, digest key) const {
    std::uint64_t* const line = bits.words() + word(key);
#if BLOOMERY_INLINE_VECTORS
    if (in_one_vector_) [[likely]]
      return detail::set_in_line_avx512<true>(pattern_, line, key.hi);
#endif
    if (pattern_.two_rounds()) [[unlikely]]
      return run_->set_one(pattern_, line, key.hi);
    return set_in_line(which_, pattern_, line, key.hi);
  }
  bool set_shared(bit_array& bits, digest key) const {
    return set_line_shared(bits.words() + word(key), key.hi);
  }
  [[nodiscard]] bool test(const bit_array& bits, digest key) const {
    const std::uint64_t* const line = bits.words() + word(key);
#if BLOOMERY_INLINE_VECTORS
    if (in_one_vector_) [[likely]]
      return detail::line_has_avx512<true>(pattern_, line, key.hi);
#endif
    if (pattern_.two_rounds()) [[unlikely]]
      return run_->test_one(pattern_, line, key.hi);
    return line_has(which_, pattern_, line, key.hi);
  }

  template <class Keys>
  std::uint64_t set_all(bit_array& bits, const Keys& keys) const {
    return kernels(keys).set(pattern_, bits.words(), blocks_, keys, nullptr);
  }

  template <class Keys>
  std::uint64_t set_all(bit_array& bits, const Keys& keys, std::span<bool> fresh) const {
    assert(keys.size() == fresh.size());
    return kernels(keys).set(pattern_, bits.words(), blocks_, keys, fresh.data());
  }

  // As set_all, in the fastest way for this many keys, without counting.
  template <class Keys>
  void build(bit_array& bits, const Keys& keys, unsigned threads) const {
    // Beyond the last-level cache, and enough keys to fill most lines.
    constexpr std::uint64_t outgrown_blocks = (std::uint64_t{24} << 20) / cache_line_bytes;
    if (blocks_ >= outgrown_blocks && keys.size() >= blocks_ && pays_in_regions(threads)) {
      kernels(keys).set_bulk(pattern_, bits.words(), blocks_, keys, threads);
    } else {
      set_all(bits, keys);  // a second thread would gain nothing: atomics cost what it saves
    }
  }

  template <class Keys>
  std::uint64_t set_all_shared(bit_array& bits, const Keys& keys) const {
    std::uint64_t fresh = 0;
    struct place {
      std::uint64_t* line;
      std::uint64_t bits;
    };
    constexpr std::size_t group = 32;
    pipelined<group, place>(
        keys.size(),
        [&](std::size_t first, std::span<place> places) {
          for (std::size_t i = 0; i < places.size(); ++i) {
            const digest key = keys[first + i];
            places[i] = {bits.words() + word(key), key.hi};
            core::prefetch(places[i].line);
          }
        },
        [&](std::size_t, std::span<const place> places) {
          for (const place& at : places) fresh += std::uint64_t{set_line_shared(at.line, at.bits)};
        });
    return fresh;
  }

  template <class Keys>
  std::uint64_t test_all(const bit_array& bits, const Keys& keys, std::span<bool> answers) const {
    assert(keys.size() == answers.size());
    return kernels(keys).test(pattern_, bits.words(), blocks_, keys, answers.data());
  }

 private:
  [[nodiscard]] std::uint64_t word(digest key) const {
    return hash::reduce(key.lo, blocks_) * hash::lane_count;
  }

  const auto& kernels(const auto& keys) const {
    return run_->of(keys);
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
  core::backend which_;
  // Of the usual case: one question for a key instead of four.
  [[maybe_unused]] bool in_one_vector_ = false;
  const line_kernels* run_;
};

}  // namespace bloomery::bits
