#include "bloomery/bits/table/cuckoo_kernels.hpp"

#include <bit>
#include <cstring>

#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/hashed_span.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/table/cuckoo_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

answered cuckoo_contains(const bucket_words& in, const digest* keys, std::size_t count,
                         bool* answers) {
  // Beyond this size four keys at a time, not prefetched, are slower than one by one, prefetched.
  // Eight never are.
  constexpr std::uint64_t most_bits_by_four = std::uint64_t{8} << 23;
  const core::backend which = core::chosen_backend();
  const bool suited =
      in.data != nullptr && in.buckets >> 32 == 0 &&
      (which == core::backend::avx512 || in.buckets * in.bucket_bits <= most_bits_by_four);
  if (!suited) return {0, 0};
  return BLOOMERY_BY(which, contains(in, keys, count, answers));
}

}  // namespace bloomery::bits
