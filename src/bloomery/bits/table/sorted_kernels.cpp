#include "bloomery/bits/table/sorted_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {
namespace {

// Up to there asking for lines costs more than it saves.
[[maybe_unused]] constexpr std::uint64_t cached_sorted_bits = std::uint64_t{8} * (1 << 20);

}  // namespace
}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/table/sorted_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {
namespace {

template <class Keys>
answered contains_now(const sorted_words& in, const Keys& keys, bool* answers) {
  const bool suited = in.data != nullptr && in.buckets >> 32 == 0;
  if (!suited) return {0, 0};
  return BLOOMERY_BY(core::chosen_backend(), contains(in, keys, answers));
}

}  // namespace

answered cuckoo_contains(const sorted_words& in, const digest_span& keys, bool* answers) {
  return contains_now(in, keys, answers);
}
answered cuckoo_contains(const sorted_words& in, const integer_span& keys, bool* answers) {
  return contains_now(in, keys, answers);
}

}  // namespace bloomery::bits
