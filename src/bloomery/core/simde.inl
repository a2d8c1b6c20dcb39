// SIMDe under Intel's names, and the intrinsics that kernels use and SIMDe 0.7.4 lacks. To add one is a
// line: forms with a mask are the plain form and simde_mm512_mask_mov or maskz_mov.
#pragma once
#pragma GCC system_header  // no warnings where a later SIMDe has the same

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

typedef unsigned char __mmask8;
typedef unsigned short __mmask16;
typedef unsigned __mmask32;
typedef unsigned long long __mmask64;

namespace bloomery::core::simde {

// Words of memory at `base` plus each index times `scale`; those whose bit in `mask` is clear are of `rest`.
template <class Word, class Index, class Words, class Indices>
inline Words gathered(Words rest, unsigned mask, Indices at, const void* base, int scale) {
  constexpr std::size_t count = sizeof(Words) / sizeof(Word) < sizeof(Indices) / sizeof(Index)
                                    ? sizeof(Words) / sizeof(Word)
                                    : sizeof(Indices) / sizeof(Index);
  Word words[sizeof(Words) / sizeof(Word)];
  Index indices[sizeof(Indices) / sizeof(Index)];
  std::memcpy(words, &rest, sizeof words);
  std::memcpy(indices, &at, sizeof indices);
  for (std::size_t i = 0; i < count; ++i) {
    if ((mask >> i & 1) == 0) continue;
    std::memcpy(words + i, static_cast<const char*>(base) + indices[i] * scale, sizeof(Word));
  }
  std::memcpy(&rest, words, sizeof words);
  return rest;
}

// Words of memory whose place in `wanted` is negative, and zeros: no other word is read.
inline simde__m128i loaded(const int* at, simde__m128i wanted) {
  int which[4];
  int words[4] = {};
  std::memcpy(which, &wanted, sizeof which);
  for (std::size_t i = 0; i < std::size(words); ++i) {
    if (which[i] < 0) words[i] = at[i];
  }
  std::memcpy(&wanted, words, sizeof words);
  return wanted;
}

// The first numbers of a vector, as those of another type.
template <class To, class From, class Tos, class Froms>
inline Tos converted(Froms given) {
  From from[sizeof(Froms) / sizeof(From)];
  To to[sizeof(Tos) / sizeof(To)];
  std::memcpy(from, &given, sizeof from);
  for (std::size_t i = 0; i < std::size(to); ++i) {
    to[i] = i < std::size(from) ? static_cast<To>(from[i]) : To{0};
  }
  Tos result;
  std::memcpy(&result, to, sizeof to);
  return result;
}

template <class Part, class Whole>
inline Part part_of(Whole whole, int which) {
  Part result;
  std::memcpy(&result, reinterpret_cast<const char*>(&whole) + which * sizeof result,
              sizeof result);
  return result;
}

inline std::uint64_t deposited(std::uint64_t bits, std::uint64_t mask) {
  std::uint64_t result = 0;
  for (; mask != 0; mask &= mask - 1, bits >>= 1) {
    if ((bits & 1) != 0) result |= mask & -mask;
  }
  return result;
}

inline std::uint64_t extracted(std::uint64_t word, std::uint64_t mask) {
  std::uint64_t result = 0;
  for (std::uint64_t bit = 1; mask != 0; mask &= mask - 1, bit <<= 1) {
    if ((word & mask & -mask) != 0) result |= bit;
  }
  return result;
}

}  // namespace bloomery::core::simde

// clang-format off
// SIMDe's own, where it has no instruction for it, is content with one word of zeros.
#undef _mm_testz_si128
#undef _mm256_testz_si256
#define _mm_testz_si128(a, b) simde_mm_testc_si128(simde_mm_andnot_si128(a, simde_mm_set1_epi8(-1)), b)
#define _mm256_testz_si256(a, b) simde_mm256_testc_si256(simde_mm256_andnot_si256(a, simde_mm256_set1_epi8(-1)), b)

// SIMDe's own reads every word.
#undef _mm_maskload_epi32
#define _mm_maskload_epi32(at, wanted) bloomery::core::simde::loaded(at, wanted)

#define _pdep_u64(bits, mask) bloomery::core::simde::deposited(bits, mask)
#define _pext_u64(word, mask) bloomery::core::simde::extracted(word, mask)
#define _blsr_u32(word) ((word) & ((word) - 1))
#define _blsr_u64(word) ((word) & ((word) - 1))
#define _tzcnt_u32(word) static_cast<unsigned>(std::countr_zero(std::uint32_t{word}))
#define _tzcnt_u64(word) static_cast<std::uint64_t>(std::countr_zero(std::uint64_t{word}))

#define _mm512_mask_i64gather_epi64(rest, k, at, base, scale) bloomery::core::simde::gathered<std::int64_t, std::int64_t>(rest, k, at, base, scale)
#define _mm_maskz_loadu_epi32(k, from) bloomery::core::simde::gathered<std::int32_t, std::int32_t>(simde_mm_setzero_si128(), k, simde_mm_setr_epi32(0, 1, 2, 3), from, 4)
#define _mm512_i64gather_epi64(at, base, scale) _mm512_mask_i64gather_epi64(at, 0xffu, at, base, scale)

#define _mm512_mulhi_epu16(a, b) simde_mm512_inserti64x4(simde_mm512_castsi256_si512(simde_mm256_mulhi_epu16(simde_mm512_castsi512_si256(a), simde_mm512_castsi512_si256(b))), simde_mm256_mulhi_epu16(simde_mm512_extracti64x4_epi64(a, 1), simde_mm512_extracti64x4_epi64(b, 1)), 1)
#define _mm512_kunpackb(a, b) static_cast<__mmask16>(((a) & 0xffU) << 8 | ((b) & 0xffU))
#define _mm512_kunpackw(a, b) (((a) & __mmask32{0xffff}) << 16 | ((b) & __mmask32{0xffff}))
#define _mm512_kunpackd(a, b) (static_cast<__mmask64>(a) << 32 | ((b) & __mmask64{0xffffffff}))
#define _mm512_cmpneq_epi64_mask(a, b) static_cast<__mmask8>(~simde_mm512_cmpeq_epi64_mask(a, b))
#define _mm512_maskz_slli_epi64(k, a, n) simde_mm512_maskz_mov_epi64(k, simde_mm512_slli_epi64(a, n))
#define _mm512_maskz_srli_epi64(k, a, n) simde_mm512_maskz_mov_epi64(k, simde_mm512_srli_epi64(a, n))
#define _mm512_maskz_srlv_epi64(k, a, b) simde_mm512_maskz_mov_epi64(k, simde_mm512_srlv_epi64(a, b))
#define _mm512_maskz_sllv_epi64(k, a, b) simde_mm512_maskz_mov_epi64(k, simde_mm512_sllv_epi64(a, b))
#define _mm512_cvtepi8_epi64(a) bloomery::core::simde::converted<std::int64_t, std::int8_t, __m512i>(a)
#define _mm512_maskz_cvtepi8_epi64(k, a) simde_mm512_maskz_mov_epi64(k, _mm512_cvtepi8_epi64(a))
#define _mm512_cvtepu8_epi64(a) bloomery::core::simde::converted<std::int64_t, std::uint8_t, __m512i>(a)
#define _mm512_maskz_cvtepu8_epi64(k, a) simde_mm512_maskz_mov_epi64(k, _mm512_cvtepu8_epi64(a))
#define _mm512_maskz_broadcast_i64x2(k, a) simde_mm512_maskz_mov_epi64(k, simde_mm512_broadcast_i32x4(a))
#define _mm512_extracti64x2_epi64(a, n) bloomery::core::simde::part_of<__m128i>(a, n)
#define _mm512_maskz_extracti64x2_epi64(k, a, n) simde_mm_maskz_mov_epi64(k, _mm512_extracti64x2_epi64(a, n))
// clang-format on
