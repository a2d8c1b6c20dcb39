#include "bloomery/bits/table/dleft_kernels.hpp"

#include <algorithm>
#include <array>

#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

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
  const bool suited = table.in.data != nullptr && table.buckets >> 32 == 0 && table.most >> 32 == 0;
  if (!suited) return {0, 0};
  return BLOOMERY_BY(core::chosen_backend(), contains(table, keys, answers));
}

}  // namespace

answered dleft_contains(const dleft_words& table, const digest_span& keys, bool* answers) {
  return contains_any(table, keys, answers);
}

answered dleft_contains(const dleft_words& table, const integer_span& keys, bool* answers) {
  return contains_any(table, keys, answers);
}

}  // namespace bloomery::bits
