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

bool has_bits(const position_range& range, const std::uint64_t* words, digest key) {
  return BLOOMERY_BY(core::chosen_backend(), has_bits_of_one(range, words, key));
}
bool has_counters(const position_range& range, counter_words counters, digest key) {
  return BLOOMERY_BY(core::chosen_backend(), has_counters_of_one(range, counters, key));
}
bool raise_counters(const position_range& range, counter_words counters, digest key) {
  return BLOOMERY_BY(core::chosen_backend(), raise_counters_of_one(range, counters, key));
}
bool lower_counters(const position_range& range, counter_words counters, digest key) {
  return BLOOMERY_BY(core::chosen_backend(), lower_counters_of_one(range, counters, key));
}

}  // namespace bloomery::bits
