#include "bloomery/hash/batch_kernels.hpp"

#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/mix.hpp"

#define BLOOMERY_KERNELS "bloomery/hash/batch_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::hash {

std::size_t hash_front(std::uint64_t offset, const std::uint64_t* keys, std::size_t count,
                       digest* digests) {
  return BLOOMERY_BY(core::chosen_backend(), hash_front(offset, keys, count, digests));
}

std::size_t locate_front(const digit_probes& probes, const digest* keys, std::size_t count,
                         std::uint64_t* rows, std::size_t stride) {
  const bool suited = probes.count <= 2 * probes.digits && probes.slice >> 32 == 0;
  if (!suited) return 0;
  return BLOOMERY_BY(core::chosen_backend(), locate_front(probes, keys, count, rows, stride));
}

}  // namespace bloomery::hash
