#include "bloomery/hash/keyed_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "bloomery/core/limits.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/mix.hpp"

#if BLOOMERY_X86
#include <immintrin.h>
#endif

#define BLOOMERY_KERNELS "bloomery/hash/keyed_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::hash {

std::size_t keyed_digests(std::span<const std::uint64_t, 4> secret,
                          std::span<const std::string_view> keys, digest* digests) {
#if BLOOMERY_X86
  switch (core::chosen_backend()) {
    case core::backend::avx512:
      return avx512::keyed_digests(secret, keys, digests);
    case core::backend::avx2:
      return avx2::keyed_digests(secret, keys, digests);
    case core::backend::portable:
      break;
  }
#endif
  (void)secret, (void)keys, (void)digests;
  return 0;
}

}  // namespace bloomery::hash
