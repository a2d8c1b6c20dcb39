// One key against its line, inlined into the caller whatever that was compiled for.
//
// Purpose:   for keys that are asked and inserted one at a time, where a call costs as much as the work. The
//            instructions of the back end are inline assembly, so that a program built for the baseline has
//            them too, and every translation unit has the same code whatever its flags.
// Cost:      a predictable branch for the back end, another for patterns that leave lanes out.
// Guarantee: for up to 8 hashes; bit for bit what line_pattern::all would set and test. Sanitizers that
//            watch memory do not see what assembly does: under them it is plain code.
//
//     alignas(64) std::array<std::uint64_t, 8> line{};
//     const bloomery::hash::line_pattern pattern(7);
//     const auto which = bloomery::core::inlined_backend();
//     assert(bloomery::bits::set_in_line(which, pattern, line.data(), 12345));
//     assert(bloomery::bits::line_has(which, pattern, line.data(), 12345));
//     assert(!bloomery::bits::line_has(which, pattern, line.data(), 54321));
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/line_pattern.hpp"

namespace bloomery::bits {

// Word by word, in the lanes that `bits` picks or, if `picks_all`, in all of them. The kernels without
// vectors are made of these two as well.
template <bool picks_all>
[[gnu::always_inline]] inline bool words_have(const hash::line_pattern& pattern,
                                              const std::uint64_t* line, std::uint64_t positions,
                                              std::uint64_t bits) {
  const std::uint64_t left_out = picks_all ? 0 : ~pattern.subset(bits);
  std::uint64_t all = 1;
#pragma GCC unroll 8
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    const std::uint64_t word = core::little_endian(__atomic_load_n(line + lane, __ATOMIC_RELAXED));
    std::uint64_t hit = word >> (positions >> hash::line_pattern::position_bits * lane) % 64;
    if constexpr (!picks_all) hit |= left_out >> 8 * lane;
    all &= hit;
  }
  return all != 0;
}

// Whether a bit was new.
template <bool picks_all>
[[gnu::always_inline]] inline bool set_in_words(
    const hash::line_pattern& pattern,
    // NOLINTNEXTLINE(readability-non-const-parameter): the atomic builtin writes through it
    std::uint64_t* line, std::uint64_t positions, std::uint64_t bits) {
  const std::uint64_t picked = picks_all ? ~std::uint64_t{0} : pattern.subset(bits);
  std::uint64_t lacking = 0;
#pragma GCC unroll 8
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    const std::uint64_t bit = picked >> 8 * lane & 1;
    const std::uint64_t mask =
        core::little_endian(bit << (positions >> hash::line_pattern::position_bits * lane) % 64);
    const std::uint64_t before = __atomic_load_n(line + lane, __ATOMIC_RELAXED);
    lacking |= mask & ~before;
    __atomic_store_n(line + lane, before | mask, __ATOMIC_RELAXED);
  }
  return lacking != 0;
}

#if BLOOMERY_INLINE_VECTORS

namespace detail {

struct alignas(64) line_constants {
  std::array<std::uint64_t, hash::lane_count> shifts{0, 6, 12, 18, 24, 30, 36, 42};
  std::array<std::uint64_t, hash::lane_count> position{63, 63, 63, 63, 63, 63, 63, 63};
  std::array<std::uint64_t, hash::lane_count> one{1, 1, 1, 1, 1, 1, 1, 1};
};
inline constexpr line_constants of_lines;
using whole_line = std::uint64_t[hash::lane_count];

// clang-format off

// In programs that use the upper halves of vector registers vzeroupper takes them all.
#define BLOOMERY_VECTORS_LOST                                                                   \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",      \
  "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

// In ymm1 and ymm2 the key's position in each lane, in ymm3 and ymm4 the line.
#define BLOOMERY_AVX2_POSITIONS                \
  "vmovq %[bits], %%xmm0\n\t"                  \
  "vpbroadcastq %%xmm0, %%ymm0\n\t"            \
  "vpsrlvq (%[constant]), %%ymm0, %%ymm1\n\t"  \
  "vpsrlvq 32(%[constant]), %%ymm0, %%ymm2\n\t"\
  "vpand 64(%[constant]), %%ymm1, %%ymm1\n\t"  \
  "vpand 64(%[constant]), %%ymm2, %%ymm2\n\t"  \
  "vmovdqu (%[line]), %%ymm3\n\t"              \
  "vmovdqu 32(%[line]), %%ymm4\n\t"
// In ymm5 and ymm6 ones for the picked lanes.
#define BLOOMERY_AVX2_PICKED                   \
  "vmovq %[picked], %%xmm5\n\t"                \
  "vpsrlq $32, %%xmm5, %%xmm6\n\t"             \
  "vpmovsxbq %%xmm5, %%ymm5\n\t"               \
  "vpmovsxbq %%xmm6, %%ymm6\n\t"
// In ymm1 and ymm2 the line, each lane moved down by the position.
#define BLOOMERY_AVX2_MOVED                    \
  "vpsrlvq %%ymm1, %%ymm3, %%ymm1\n\t"         \
  "vpsrlvq %%ymm2, %%ymm4, %%ymm2\n\t"
// In ymm1 and ymm2 the bits to set.
#define BLOOMERY_AVX2_MASK                     \
  "vmovdqa 128(%[constant]), %%ymm0\n\t"       \
  "vpsllvq %%ymm1, %%ymm0, %%ymm1\n\t"         \
  "vpsllvq %%ymm2, %%ymm0, %%ymm2\n\t"
#define BLOOMERY_AVX2_PICKED_OF_MASK           \
  "vpand %%ymm5, %%ymm1, %%ymm1\n\t"           \
  "vpand %%ymm6, %%ymm2, %%ymm2\n\t"
// Sets them; the flag of zero says that they were.
#define BLOOMERY_AVX2_SET                      \
  "vpandn %%ymm1, %%ymm3, %%ymm5\n\t"          \
  "vpandn %%ymm2, %%ymm4, %%ymm6\n\t"          \
  "vpor %%ymm1, %%ymm3, %%ymm3\n\t"            \
  "vpor %%ymm2, %%ymm4, %%ymm4\n\t"            \
  "vpor %%ymm5, %%ymm6, %%ymm5\n\t"            \
  "vmovdqu %%ymm3, (%[line])\n\t"              \
  "vmovdqu %%ymm4, 32(%[line])\n\t"            \
  "vptest %%ymm5, %%ymm5\n\t"                  \
  "vzeroupper"

// Registers that only AVX-512 has need no vzeroupper, and programs that were compiled without it do not use them.
#if defined(__AVX512F__)
#define BLOOMERY_LATE_VECTORS_LOST "xmm16", "xmm17", "xmm18", "k1", "k2"
#else
#define BLOOMERY_LATE_VECTORS_LOST
#endif
// In zmm16 the key's position in each lane, of whose bits rotations use six; in zmm17 the line.
#define BLOOMERY_AVX512_POSITIONS              \
  "vpbroadcastq %[bits], %%zmm16\n\t"          \
  "vpsrlvq (%[constant]), %%zmm16, %%zmm16\n\t"\
  "vmovdqu64 (%[line]), %%zmm17\n\t"
// In k2 the picked lanes.
#define BLOOMERY_AVX512_PICKED                 \
  "vmovq %[picked], %%xmm18\n\t"               \
  "vpmovb2m %%xmm18, %%k2\n\t"
// In zmm17 the line, each lane moved down by the position.
#define BLOOMERY_AVX512_MOVED                  \
  "vprorvq %%zmm16, %%zmm17, %%zmm17\n\t"
// In zmm18 ones.
#define BLOOMERY_AVX512_ONES                   \
  "vmovdqa64 128(%[constant]), %%zmm18\n\t"
// The flag of zero says that k1 has no lanes, those that lack a bit.
#define BLOOMERY_AVX512_SET                    \
  "vporq %%zmm16, %%zmm17, %%zmm17\n\t"        \
  "vmovdqu64 %%zmm17, (%[line])\n\t"           \
  "kortestb %%k1, %%k1"

template <bool picks_all>
[[gnu::always_inline]] inline bool line_has_avx2(const hash::line_pattern& pattern,
                                                 const std::uint64_t* line, std::uint64_t bits) {
  bool all = false;
  if constexpr (picks_all) {
    asm(BLOOMERY_AVX2_POSITIONS BLOOMERY_AVX2_MOVED
        "vpand %%ymm2, %%ymm1, %%ymm1\n\t"
        "vptest 128(%[constant]), %%ymm1\n\t"
        "vzeroupper"
        : "=@ccc"(all)
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines),
          "m"(*reinterpret_cast<const whole_line*>(line)), "m"(of_lines)
        : BLOOMERY_VECTORS_LOST);
  } else {
    asm(BLOOMERY_AVX2_POSITIONS BLOOMERY_AVX2_MOVED BLOOMERY_AVX2_PICKED
        "vpandn %%ymm5, %%ymm1, %%ymm1\n\t"
        "vpandn %%ymm6, %%ymm2, %%ymm2\n\t"
        "vpor %%ymm2, %%ymm1, %%ymm1\n\t"
        "vptest 128(%[constant]), %%ymm1\n\t"
        "vzeroupper"
        : "=@ccz"(all)
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines),
          [picked] "r"(pattern.subset(bits)), "m"(*reinterpret_cast<const whole_line*>(line)),
          "m"(of_lines)
        : BLOOMERY_VECTORS_LOST);
  }
  return all;
}

template <bool picks_all>
[[gnu::always_inline]] inline bool set_in_line_avx2(const hash::line_pattern& pattern,
    // NOLINTNEXTLINE(readability-non-const-parameter): assembly writes through it
                                                    std::uint64_t* line, std::uint64_t bits) {
  bool known = false;
  if constexpr (picks_all) {
    asm(BLOOMERY_AVX2_POSITIONS BLOOMERY_AVX2_MASK BLOOMERY_AVX2_SET
        : "=@ccz"(known), "+m"(*reinterpret_cast<whole_line*>(line))
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines), "m"(of_lines)
        : BLOOMERY_VECTORS_LOST);
  } else {
    asm(BLOOMERY_AVX2_POSITIONS BLOOMERY_AVX2_MASK
        BLOOMERY_AVX2_PICKED BLOOMERY_AVX2_PICKED_OF_MASK BLOOMERY_AVX2_SET
        : "=@ccz"(known), "+m"(*reinterpret_cast<whole_line*>(line))
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines),
          [picked] "r"(pattern.subset(bits)), "m"(of_lines)
        : BLOOMERY_VECTORS_LOST);
  }
  return !known;
}

template <bool picks_all>
[[gnu::always_inline]] inline bool line_has_avx512(const hash::line_pattern& pattern,
                                                   const std::uint64_t* line, std::uint64_t bits) {
  bool all = false;
  if constexpr (picks_all) {
    asm(BLOOMERY_AVX512_POSITIONS BLOOMERY_AVX512_MOVED
        "vptestnmq 128(%[constant])%{1to8%}, %%zmm17, %%k1\n\t"
        "kortestb %%k1, %%k1"
        : "=@ccz"(all)
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines),
          "m"(*reinterpret_cast<const whole_line*>(line)), "m"(of_lines)
        : BLOOMERY_LATE_VECTORS_LOST);
  } else {
    asm(BLOOMERY_AVX512_POSITIONS BLOOMERY_AVX512_PICKED BLOOMERY_AVX512_MOVED
        "vptestnmq 128(%[constant])%{1to8%}, %%zmm17, %%k1%{%%k2%}\n\t"
        "kortestb %%k1, %%k1"
        : "=@ccz"(all)
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines),
          [picked] "r"(pattern.subset(bits)), "m"(*reinterpret_cast<const whole_line*>(line)),
          "m"(of_lines)
        : BLOOMERY_LATE_VECTORS_LOST);
  }
  return all;
}

template <bool picks_all>
[[gnu::always_inline]] inline bool set_in_line_avx512(const hash::line_pattern& pattern,
    // NOLINTNEXTLINE(readability-non-const-parameter): assembly writes through it
                                                      std::uint64_t* line, std::uint64_t bits) {
  bool known = false;
  if constexpr (picks_all) {
    asm(BLOOMERY_AVX512_POSITIONS BLOOMERY_AVX512_ONES
        "vprolvq %%zmm16, %%zmm18, %%zmm16\n\t"
        "vptestnmq %%zmm16, %%zmm17, %%k1\n\t"
        BLOOMERY_AVX512_SET
        : "=@ccz"(known), "+m"(*reinterpret_cast<whole_line*>(line))
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines), "m"(of_lines)
        : BLOOMERY_LATE_VECTORS_LOST);
  } else {
    asm(BLOOMERY_AVX512_POSITIONS BLOOMERY_AVX512_PICKED BLOOMERY_AVX512_ONES
        "vprolvq %%zmm16, %%zmm18, %%zmm16%{%%k2%}%{z%}\n\t"
        "vptestnmq %%zmm16, %%zmm17, %%k1%{%%k2%}\n\t"
        BLOOMERY_AVX512_SET
        : "=@ccz"(known), "+m"(*reinterpret_cast<whole_line*>(line))
        : [bits] "r"(bits), [line] "r"(line), [constant] "r"(&of_lines),
          [picked] "r"(pattern.subset(bits)), "m"(of_lines)
        : BLOOMERY_LATE_VECTORS_LOST);
  }
  return !known;
}

// clang-format on

#undef BLOOMERY_VECTORS_LOST
#undef BLOOMERY_AVX2_POSITIONS
#undef BLOOMERY_AVX2_PICKED
#undef BLOOMERY_AVX2_MOVED
#undef BLOOMERY_AVX2_MASK
#undef BLOOMERY_AVX2_PICKED_OF_MASK
#undef BLOOMERY_AVX2_SET
#undef BLOOMERY_AVX512_POSITIONS
#undef BLOOMERY_AVX512_PICKED
#undef BLOOMERY_AVX512_MOVED
#undef BLOOMERY_AVX512_ONES
#undef BLOOMERY_AVX512_SET
#undef BLOOMERY_LATE_VECTORS_LOST

}  // namespace detail

#endif

namespace detail {
// Beside vectors these are calls: inlined, they would take the registers that keep the constants of a hash.
#if BLOOMERY_INLINE_VECTORS
#define BLOOMERY_PLAIN_LINE [[gnu::noinline]]
#else
#define BLOOMERY_PLAIN_LINE [[gnu::always_inline]]
#endif
BLOOMERY_PLAIN_LINE inline bool plain_line_has(const hash::line_pattern& pattern,
                                               const std::uint64_t* line, std::uint64_t bits) {
  return pattern.picks_all_lanes() ? words_have<true>(pattern, line, bits, bits)
                                   : words_have<false>(pattern, line, bits, bits);
}
BLOOMERY_PLAIN_LINE inline bool set_in_plain_line(const hash::line_pattern& pattern,
                                                  std::uint64_t* line, std::uint64_t bits) {
  return pattern.picks_all_lanes() ? set_in_words<true>(pattern, line, bits, bits)
                                   : set_in_words<false>(pattern, line, bits, bits);
}
#undef BLOOMERY_PLAIN_LINE
}  // namespace detail

// Whether all bits of the key are set.
[[gnu::always_inline]] inline bool line_has([[maybe_unused]] core::backend which,
                                            const hash::line_pattern& pattern,
                                            const std::uint64_t* line, std::uint64_t bits) {
#if BLOOMERY_INLINE_VECTORS
  if (which == core::backend::avx512) [[likely]] {
    return pattern.picks_all_lanes() ? detail::line_has_avx512<true>(pattern, line, bits)
                                     : detail::line_has_avx512<false>(pattern, line, bits);
  }
  if (which == core::backend::avx2) [[likely]] {
    return pattern.picks_all_lanes() ? detail::line_has_avx2<true>(pattern, line, bits)
                                     : detail::line_has_avx2<false>(pattern, line, bits);
  }
#endif
  return detail::plain_line_has(pattern, line, bits);
}

// Sets them, and says whether one was new.
[[gnu::always_inline]] inline bool set_in_line([[maybe_unused]] core::backend which,
                                               const hash::line_pattern& pattern,
                                               std::uint64_t* line, std::uint64_t bits) {
#if BLOOMERY_INLINE_VECTORS
  if (which == core::backend::avx512) [[likely]] {
    return pattern.picks_all_lanes() ? detail::set_in_line_avx512<true>(pattern, line, bits)
                                     : detail::set_in_line_avx512<false>(pattern, line, bits);
  }
  if (which == core::backend::avx2) [[likely]] {
    return pattern.picks_all_lanes() ? detail::set_in_line_avx2<true>(pattern, line, bits)
                                     : detail::set_in_line_avx2<false>(pattern, line, bits);
  }
#endif
  return detail::set_in_plain_line(pattern, line, bits);
}

}  // namespace bloomery::bits
