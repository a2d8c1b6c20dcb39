// One key against k bits or counters anywhere in a row of them, inlined into the caller whatever that was compiled for.
//
// Purpose:   for keys that are asked and inserted one at a time: the positions of a key are one vector, worked out,
//            read and tested at once by inline assembly, as in one_line.hpp.
// Cost:      a gather for up to eight positions.
// Guarantee: for up to most_positions, those of hash::uniform_probes or hash::partitioned_probes; only where
//            vectors_for says so.
//
//     const bloomery::bits::position_range range(bloomery::hash::uniform_probes{1000, 7});
//     std::array<std::uint64_t, 16> words{};
//     if (bloomery::bits::vectors_for(bloomery::core::inlined_backend(), range)) {
//       assert(bloomery::bits::set_key_bits(range, words.data(), {1, 2}));
//       assert(bloomery::bits::key_bits_set(range, words.data(), {1, 2}));
//       assert(!bloomery::bits::key_bits_set(range, words.data(), {3, 4}));
//     }
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "bloomery/bits/batch/position_kernels.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {

#if BLOOMERY_INLINE_VECTORS

namespace detail {

// By eights, beginning with the position of this number.
inline constexpr std::uint64_t positions_at_once = 8;

struct alignas(64) position_constants {
  std::array<std::uint64_t, most_positions> numbers{0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
  std::array<std::uint64_t, 2> factors{hash::mix_factors[0], hash::mix_factors[1]};
  std::uint64_t low_half = 0xffffffff;
  std::uint64_t one = 1;
};
inline constexpr position_constants of_positions;

// clang-format off

#if defined(__AVX512F__)
#define BLOOMERY_LATE_VECTORS_LOST \
  "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "k1", "k2"
#else
#define BLOOMERY_LATE_VECTORS_LOST
#endif
// Of what reads cells anywhere: there is no operand that names them all.
#if defined(__AVX512F__)
#define BLOOMERY_READS_CELLS BLOOMERY_LATE_VECTORS_LOST, "memory"
#else
#define BLOOMERY_READS_CELLS "memory"
#endif
// In zmm16 the positions of eight numbers: reduce(mix(lo + number * step), cells) + number * stride. Of the halves of
// both factors no sum of products is beyond 64 bits.
#define BLOOMERY_POSITIONS                                   \
  "vpbroadcastq %[step], %%zmm17\n\t"                        \
  "vpbroadcastq %[lo], %%zmm16\n\t"                          \
  "vpmullq (%[numbers]), %%zmm17, %%zmm17\n\t"               \
  "vpaddq %%zmm17, %%zmm16, %%zmm16\n\t"                     \
  "vpsrlq $30, %%zmm16, %%zmm17\n\t"                         \
  "vpxorq %%zmm17, %%zmm16, %%zmm16\n\t"                     \
  "vpmullq 128(%[constant])%{1to8%}, %%zmm16, %%zmm16\n\t"   \
  "vpsrlq $27, %%zmm16, %%zmm17\n\t"                         \
  "vpxorq %%zmm17, %%zmm16, %%zmm16\n\t"                     \
  "vpmullq 136(%[constant])%{1to8%}, %%zmm16, %%zmm16\n\t"   \
  "vpsrlq $31, %%zmm16, %%zmm17\n\t"                         \
  "vpxorq %%zmm17, %%zmm16, %%zmm16\n\t"                     \
  "vpbroadcastq %[cells], %%zmm18\n\t"                       \
  "vpsrlq $32, %%zmm16, %%zmm17\n\t"                         \
  "vpsrlq $32, %%zmm18, %%zmm19\n\t"                         \
  "vpmuludq %%zmm18, %%zmm16, %%zmm20\n\t"                   \
  "vpmuludq %%zmm18, %%zmm17, %%zmm21\n\t"                   \
  "vpmuludq %%zmm19, %%zmm16, %%zmm22\n\t"                   \
  "vpmuludq %%zmm19, %%zmm17, %%zmm23\n\t"                   \
  "vpsrlq $32, %%zmm20, %%zmm20\n\t"                         \
  "vpaddq %%zmm21, %%zmm20, %%zmm20\n\t"                     \
  "vpandq 144(%[constant])%{1to8%}, %%zmm20, %%zmm21\n\t"    \
  "vpsrlq $32, %%zmm20, %%zmm20\n\t"                         \
  "vpaddq %%zmm22, %%zmm21, %%zmm21\n\t"                     \
  "vpaddq %%zmm20, %%zmm23, %%zmm16\n\t"                     \
  "vpsrlq $32, %%zmm21, %%zmm21\n\t"                         \
  "vpaddq %%zmm21, %%zmm16, %%zmm16\n\t"
#define BLOOMERY_STRIDES                                     \
  "vpbroadcastq %[stride], %%zmm17\n\t"                      \
  "vpmullq (%[numbers]), %%zmm17, %%zmm17\n\t"               \
  "vpaddq %%zmm17, %%zmm16, %%zmm16\n\t"
// In zmm18 the words of the numbers in zmm17, for the lanes of the mask, which is in k2; rotated down by zmm16.
#define BLOOMERY_WORDS_BROUGHT_DOWN                          \
  "kmovd %[mask], %%k1\n\t"                                  \
  "kmovd %[mask], %%k2\n\t"                                  \
  "vpxorq %%xmm18, %%xmm18, %%xmm18\n\t"                     \
  "vpgatherqq (%[words],%%zmm17,8), %%zmm18%{%%k1%}\n\t"     \
  "vprorvq %%zmm16, %%zmm18, %%zmm18\n\t"
#define BLOOMERY_POSITIONS_OF_KEY                                                        \
  [lo] "r"(key.lo), [step] "r"(key.hi | 1), [cells] "r"(range.cells),                    \
  [stride] "r"(range.stride), [numbers] "r"(of_positions.numbers.data() + first),        \
  [constant] "r"(&of_positions), "m"(of_positions)

// Which of the positions of this number and after are there.
[[gnu::always_inline]] inline unsigned lanes_of(const position_range& range, std::uint64_t first) {
  return 0xffU >> (positions_at_once - std::min(positions_at_once, range.count - first));
}

// Whether the bits of the positions from this number on are set, of up to eight.
template <bool strides>
[[gnu::always_inline]] inline bool eight_bits_set(const position_range& range,
                                                  const std::uint64_t* words, digest key,
                                                  std::uint64_t first) {
  bool all = false;
#define BLOOMERY_ASKED                                       \
  "vpsrlq $6, %%zmm16, %%zmm17\n\t"                          \
  BLOOMERY_WORDS_BROUGHT_DOWN                                \
  "vptestnmq 152(%[constant])%{1to8%}, %%zmm18, %%k1%{%%k2%}\n\t" \
  "kortestb %%k1, %%k1"
  if constexpr (strides) {
    asm(BLOOMERY_POSITIONS BLOOMERY_STRIDES BLOOMERY_ASKED
        : "=@ccz"(all)
        : BLOOMERY_POSITIONS_OF_KEY, [words] "r"(words), [mask] "r"(lanes_of(range, first))
        : BLOOMERY_READS_CELLS);
  } else {
    asm(BLOOMERY_POSITIONS BLOOMERY_ASKED
        : "=@ccz"(all)
        : BLOOMERY_POSITIONS_OF_KEY, [words] "r"(words), [mask] "r"(lanes_of(range, first))
        : BLOOMERY_READS_CELLS);
  }
#undef BLOOMERY_ASKED
  return all;
}

// Whether none of the counters is zero, of up to eight.
[[gnu::always_inline]] inline bool eight_counters_raised(const position_range& range,
                                                         const counter_words& counters, digest key,
                                                         std::uint64_t first) {
  bool all = false;
  asm(BLOOMERY_POSITIONS BLOOMERY_STRIDES
      "vmovd %[cells_a_word], %%xmm19\n\t"
      "vmovd %[width], %%xmm20\n\t"
      "vpsrlq %%xmm19, %%zmm16, %%zmm17\n\t"
      "vpsllq %%xmm20, %%zmm16, %%zmm16\n\t"
      BLOOMERY_WORDS_BROUGHT_DOWN
      "vpbroadcastq %[most], %%zmm19\n\t"
      "vptestnmq %%zmm19, %%zmm18, %%k1%{%%k2%}\n\t"
      "kortestb %%k1, %%k1"
      : "=@ccz"(all)
      : BLOOMERY_POSITIONS_OF_KEY, [words] "r"(counters.words), [mask] "r"(lanes_of(range, first)),
        [cells_a_word] "r"(counters.cells_a_word_log2()), [width] "r"(counters.log2_width),
        [most] "r"(counters.most())
      : BLOOMERY_READS_CELLS);
  return all;
}

// Aligned, since a number is read from them at once after they were written: from two lines it would have to wait.
struct alignas(64) eight_positions {
  std::array<std::uint64_t, positions_at_once> of;

  std::uint64_t operator[](std::uint64_t j) const { return of[j]; }
};

template <bool strides>
[[gnu::always_inline]] inline void write_positions(const position_range& range, digest key,
                                                   std::uint64_t first, eight_positions& to) {
  if constexpr (strides) {
    asm(BLOOMERY_POSITIONS BLOOMERY_STRIDES "vmovdqu64 %%zmm16, %[to]"
        : [to] "=m"(to) : BLOOMERY_POSITIONS_OF_KEY : BLOOMERY_LATE_VECTORS_LOST);
  } else {
    asm(BLOOMERY_POSITIONS "vmovdqu64 %%zmm16, %[to]"
        : [to] "=m"(to) : BLOOMERY_POSITIONS_OF_KEY : BLOOMERY_LATE_VECTORS_LOST);
  }
}

// The counters of a key of up to eight: in which word each is, by how much it is shifted, modulo 64; a bit each for those
// that are zero and those at their maximum; whether two may be the same: compared with themselves turned by one to
// four lanes. If this says no, none are.
struct key_counters {
  eight_positions word;
  eight_positions shift;
  unsigned zeros;
  unsigned fulls;
  bool may_repeat;
};
[[gnu::always_inline]] inline void read_counters(const position_range& range,
                                                 const counter_words& counters, digest key,
                                                 key_counters& to) {
  constexpr std::uint64_t first = 0;
  bool none_repeats = false;
  asm(BLOOMERY_POSITIONS BLOOMERY_STRIDES
      "vmovd %[cells_a_word], %%xmm19\n\t"
      "vmovd %[width], %%xmm20\n\t"
      "vpsrlq %%xmm19, %%zmm16, %%zmm17\n\t"
      "vpsllq %%xmm20, %%zmm16, %%zmm19\n\t"
      "vmovdqa64 %%zmm17, %[word]\n\t"
      "vmovdqa64 %%zmm19, %[shift]\n\t"
      "valignq $1, %%zmm16, %%zmm16, %%zmm20\n\t"
      "valignq $2, %%zmm16, %%zmm16, %%zmm21\n\t"
      "valignq $3, %%zmm16, %%zmm16, %%zmm22\n\t"
      "valignq $4, %%zmm16, %%zmm16, %%zmm23\n\t"
      "vpxorq %%zmm16, %%zmm20, %%zmm20\n\t"
      "vpxorq %%zmm16, %%zmm21, %%zmm21\n\t"
      "vpxorq %%zmm16, %%zmm22, %%zmm22\n\t"
      "vpxorq %%zmm16, %%zmm23, %%zmm23\n\t"
      "vpminuq %%zmm21, %%zmm20, %%zmm20\n\t"
      "vpminuq %%zmm23, %%zmm22, %%zmm22\n\t"
      "vpminuq %%zmm22, %%zmm20, %%zmm20\n\t"
      "vmovdqa64 %%zmm19, %%zmm16\n\t"
      BLOOMERY_WORDS_BROUGHT_DOWN
      "vpbroadcastq %[most], %%zmm19\n\t"
      "vpandq %%zmm19, %%zmm18, %%zmm18\n\t"
      "vpcmpeqq %%zmm19, %%zmm18, %%k1%{%%k2%}\n\t"
      "kmovd %%k1, %[fulls]\n\t"
      "vptestnmq %%zmm18, %%zmm18, %%k1%{%%k2%}\n\t"
      "kmovd %%k1, %[zeros]\n\t"
      "vptestnmq %%zmm20, %%zmm20, %%k1\n\t"
      "kortestb %%k1, %%k1"
      : "=@ccz"(none_repeats), [word] "=m"(to.word), [shift] "=m"(to.shift),
        [fulls] "=&r"(to.fulls), [zeros] "=&r"(to.zeros)
      : BLOOMERY_POSITIONS_OF_KEY, [words] "r"(counters.words), [mask] "r"(lanes_of(range, first)),
        [cells_a_word] "r"(counters.cells_a_word_log2()), [width] "r"(counters.log2_width),
        [most] "r"(counters.most())
      : BLOOMERY_READS_CELLS);
  to.may_repeat = !none_repeats;
}

// Moved up by so many bits, modulo 64.
[[gnu::always_inline]] inline std::uint64_t moved_up(std::uint64_t number, std::uint64_t bits) {
  std::uint64_t moved = 0;
  asm("shlxq %[bits], %[number], %[moved]" : [moved] "=r"(moved) : [bits] "r"(bits), [number] "r"(number));
  return moved;
}

// clang-format on

#undef BLOOMERY_LATE_VECTORS_LOST
#undef BLOOMERY_READS_CELLS
#undef BLOOMERY_POSITIONS
#undef BLOOMERY_STRIDES
#undef BLOOMERY_WORDS_BROUGHT_DOWN
#undef BLOOMERY_POSITIONS_OF_KEY

template <bool strides>
[[gnu::always_inline]] inline std::uint64_t set_eight_bits(const position_range& range,
                                                           std::uint64_t* words, digest key,
                                                           std::uint64_t first) {
  eight_positions at;
  write_positions<strides>(range, key, first, at);
  const std::uint64_t count = std::min(positions_at_once, range.count - first);
  std::uint64_t lacking = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    const std::uint64_t before = words[at[j] / 64];
    const std::uint64_t after = before | moved_up(1, at[j]);
    words[at[j] / 64] = after;
    lacking |= before ^ after;
  }
  return lacking;
}

template <bool strides>
[[gnu::always_inline]] inline bool key_bits_set(const position_range& range,
                                                const std::uint64_t* words, digest key) {
  const bool all = eight_bits_set<strides>(range, words, key, 0);
  if (range.count <= positions_at_once) [[likely]]
    return all;
  return all & eight_bits_set<strides>(range, words, key, positions_at_once);
}
template <bool strides>
[[gnu::always_inline]] inline bool set_key_bits(const position_range& range, std::uint64_t* words,
                                                digest key) {
  std::uint64_t lacking = set_eight_bits<strides>(range, words, key, 0);
  if (range.count > positions_at_once) [[unlikely]]
    lacking |= set_eight_bits<strides>(range, words, key, positions_at_once);
  return lacking != 0;
}

}  // namespace detail

// Whether the calls below may be used: others are for the caller to work out.
[[gnu::always_inline]] inline bool vectors_for(core::backend which, const position_range& range) {
  return which == core::backend::avx512 && range.count <= most_positions;
}

// Whether all bits of the key are set.
[[gnu::always_inline]] inline bool key_bits_set(const position_range& range,
                                                const std::uint64_t* words, digest key) {
  return range.stride == 0 ? detail::key_bits_set<false>(range, words, key)
                           : detail::key_bits_set<true>(range, words, key);
}

// Sets them, and says whether one was new. The answer costs nothing if nobody looks at it.
[[gnu::always_inline]] inline bool set_key_bits(const position_range& range, std::uint64_t* words,
                                                digest key) {
  return range.stride == 0 ? detail::set_key_bits<false>(range, words, key)
                           : detail::set_key_bits<true>(range, words, key);
}

// Whether none of the key's counters is zero.
[[gnu::always_inline]] inline bool key_counters_raised(const position_range& range,
                                                       const counter_words& counters, digest key) {
  const bool all = detail::eight_counters_raised(range, counters, key, 0);
  if (range.count <= detail::positions_at_once) [[likely]]
    return all;
  return all & detail::eight_counters_raised(range, counters, key, detail::positions_at_once);
}

// What one_key::raise and lower do, for up to eight counters that neither repeat nor are at their ends; `with_care`
// does the others.
[[gnu::always_inline]] inline bool raise_key_counters(const position_range& range,
                                                      const counter_words& counters, digest key,
                                                      auto with_care) {
  if (range.count > detail::positions_at_once) return with_care();
  detail::key_counters of;
  detail::read_counters(range, counters, key, of);
  if ((of.fulls | unsigned{of.may_repeat}) != 0) [[unlikely]]
    return with_care();
  for (std::uint64_t j = 0; j < range.count; ++j) {
    counters.words[of.word[j]] += detail::moved_up(1, of.shift[j]);
  }
  return of.zeros != 0;
}
[[gnu::always_inline]] inline bool lower_key_counters(const position_range& range,
                                                      const counter_words& counters, digest key,
                                                      auto with_care) {
  if (range.count > detail::positions_at_once) return with_care();
  detail::key_counters of;
  detail::read_counters(range, counters, key, of);
  if ((of.zeros | of.fulls | unsigned{of.may_repeat}) != 0) [[unlikely]]
    return with_care();
  for (std::uint64_t j = 0; j < range.count; ++j) {
    counters.words[of.word[j]] -= detail::moved_up(1, of.shift[j]);
  }
  return true;
}

#else

inline bool vectors_for(core::backend /*which*/, const position_range& /*range*/) {
  return false;
}

namespace detail {
template <class Act>
void at_each_position(const position_range& range, digest key, Act act) {
  for (std::uint64_t j = 0; j < range.count; ++j) {
    act(hash::reduce(hash::mix(key.lo + j * (key.hi | 1)), range.cells) + j * range.stride);
  }
}
}  // namespace detail

inline bool key_bits_set(const position_range& range, const std::uint64_t* words, digest key) {
  std::uint64_t all = 1;
  detail::at_each_position(range, key, [&](std::uint64_t at) {
    all &= core::little_endian(__atomic_load_n(words + at / 64, __ATOMIC_RELAXED)) >> at % 64;
  });
  return (all & 1) != 0;
}
inline bool set_key_bits(const position_range& range, std::uint64_t* words, digest key) {
  std::uint64_t lacking = 0;
  detail::at_each_position(range, key, [&](std::uint64_t at) {
    const std::uint64_t bit = core::little_endian(std::uint64_t{1} << at % 64);
    lacking |= bit & ~words[at / 64];
    words[at / 64] |= bit;
  });
  return lacking != 0;
}
inline bool key_counters_raised(const position_range& range, const counter_words& counters,
                                digest key) {
  std::uint64_t all = 1;
  detail::at_each_position(range, key,
                           [&](std::uint64_t at) { all &= std::uint64_t{counters.get(at) != 0}; });
  return all != 0;
}
inline bool raise_key_counters(const position_range& /*range*/, const counter_words& /*counters*/,
                               digest /*key*/, auto with_care) {
  return with_care();
}
inline bool lower_key_counters(const position_range& /*range*/, const counter_words& /*counters*/,
                               digest /*key*/, auto with_care) {
  return with_care();
}

#endif

}  // namespace bloomery::bits
