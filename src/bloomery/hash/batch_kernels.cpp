#include "bloomery/hash/batch_kernels.hpp"

#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/mix.hpp"

#define BLOOMERY_KERNELS "bloomery/hash/batch_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::hash {

std::size_t hash_front(std::uint64_t offset, const std::uint64_t* keys, std::size_t count,
                       digest* digests) {
#if BLOOMERY_X86
  const core::backend which = core::chosen_backend();
  if (which == core::backend::avx512) return avx512::hash_front(offset, keys, count, digests);
  if (which == core::backend::avx2) return avx2::hash_front(offset, keys, count, digests);
#endif
  (void)offset, (void)keys, (void)count, (void)digests;
  return 0;
}

std::size_t locate_front(const digit_probes& probes, const digest* keys, std::size_t count,
                         std::uint64_t* rows, std::size_t stride) {
#if BLOOMERY_X86
  const core::backend which = core::chosen_backend();
  const bool suited = probes.count <= 2 * probes.digits && probes.slice >> 32 == 0;
  if (suited && which == core::backend::avx512) {
    return avx512::locate_front(probes, keys, count, rows, stride);
  }
  if (suited && which == core::backend::avx2) {
    return avx2::locate_front(probes, keys, count, rows, stride);
  }
#endif
  (void)probes, (void)keys, (void)count, (void)rows, (void)stride;
  return 0;
}

}  // namespace bloomery::hash
