#include "bloomery/hash/keyed_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "bloomery/core/limits.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/mix.hpp"

#define BLOOMERY_KERNELS "bloomery/hash/keyed_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::hash {

std::size_t keyed_digests(std::span<const std::uint64_t, 4> secret,
                          std::span<const std::string_view> keys, digest* digests) {
  return BLOOMERY_BY(core::chosen_backend(), keyed_digests(secret, keys, digests));
}

}  // namespace bloomery::hash
