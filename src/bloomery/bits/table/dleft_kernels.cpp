#include "bloomery/bits/table/dleft_kernels.hpp"

#include <algorithm>
#include <array>

#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/mix.hpp"

#if BLOOMERY_X86
#include <immintrin.h>
#endif

namespace bloomery::bits {
namespace {

// Up to there asking for lines costs more than it saves: a second-level cache.
constexpr std::uint64_t cached_bits = std::uint64_t{8} * (512 << 10);

}  // namespace
}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/table/dleft_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

namespace {

template <class Keys>
answered contains_any(const dleft_words& table, const Keys& keys, bool* answers) {
#if BLOOMERY_X86
  const bool suited = table.in.data != nullptr && table.buckets >> 32 == 0 && table.most >> 32 == 0;
  if (suited && core::chosen_backend() == core::backend::avx512) {
    return avx512::contains(table, keys, answers);
  }
  if (suited && core::chosen_backend() == core::backend::avx2) {
    return avx2::contains(table, keys, answers);
  }
#endif
  (void)table, (void)keys, (void)answers;
  return {0, 0};
}

}  // namespace

answered dleft_contains(const dleft_words& table, const digest_span& keys, bool* answers) {
  return contains_any(table, keys, answers);
}

answered dleft_contains(const dleft_words& table, const integer_span& keys, bool* answers) {
  return contains_any(table, keys, answers);
}

}  // namespace bloomery::bits
