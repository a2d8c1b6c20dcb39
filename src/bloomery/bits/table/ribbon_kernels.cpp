#include "bloomery/bits/table/ribbon_kernels.hpp"

#include <algorithm>
#include <array>

#include "bloomery/bits/table/ribbon_table.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {
namespace {

// Up to there asking for lines costs more than it saves: a second-level cache.
constexpr std::uint64_t cached_bytes = 512 << 10;

}  // namespace
}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/table/ribbon_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const ribbon_kernels& ribbon_kernels_of(core::backend which) {
  return BLOOMERY_BY(which, all_ribbon_kernels);
}

}  // namespace bloomery::bits
