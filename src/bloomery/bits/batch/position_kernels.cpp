#include "bloomery/bits/batch/position_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "bloomery/bits/batch/by_region.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {
namespace {

// Up to there, 512 KiB, asking for lines costs more than it saves: they come from a second-level cache soon enough.
constexpr std::uint64_t cached_words = (512 << 10) / 8;

// What bulk building fills at a time: 256 KiB, half of a small second-level cache.
constexpr std::uint64_t region_bits = std::uint64_t{8} * (256 << 10);

}  // namespace
}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/batch/position_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const position_kernels& position_kernels_now() {
  return BLOOMERY_BY(core::chosen_backend(), all_position_kernels);
}

}  // namespace bloomery::bits
