#include "bloomery/bits/table/cuckoo_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"

namespace bloomery::bits {
namespace {

// Up to there asking for lines saves nothing: a second-level cache.
constexpr std::uint64_t cached_bits = std::uint64_t{8} * (512 << 10);

}  // namespace
}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/table/cuckoo_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

namespace {

template <class Keys>
answered contains_any(const bucket_words& in, const Keys& keys, bool* answers) {
  const bool suited = in.data != nullptr && in.buckets >> 32 == 0;
  if (!suited) return {0, 0};
  return BLOOMERY_BY(core::chosen_backend(), contains(in, keys, answers));
}

}  // namespace

answered cuckoo_contains(const bucket_words& in, const digest_span& keys, bool* answers) {
  return contains_any(in, keys, answers);
}

answered cuckoo_contains(const bucket_words& in, const integer_span& keys, bool* answers) {
  return contains_any(in, keys, answers);
}

}  // namespace bloomery::bits
