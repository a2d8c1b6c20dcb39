#include "bloomery/bits/batch/line_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "bloomery/bits/batch/by_region.hpp"
#include "bloomery/bits/batch/one_line.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {
namespace {

// 256 KiB, half of a small second-level cache: the best of 64 KiB to 4 MiB.
constexpr std::uint64_t region_blocks = 4096;

class packed_record {
 public:
  packed_record(std::uint64_t block, std::uint64_t bits) : word_(bits << 16 | block) {}
  [[nodiscard]] std::uint64_t block() const { return word_ & 0xffff; }
  [[nodiscard]] std::uint64_t bits() const { return word_ >> 16; }

 private:
  std::uint64_t word_;
};

class wide_record {
 public:
  wide_record(std::uint64_t block, std::uint64_t bits) : block_(block), bits_(bits) {}
  [[nodiscard]] std::uint64_t block() const { return block_; }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t block_;
  std::uint64_t bits_;
};

}  // namespace
}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/batch/line_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const line_kernels& kernels_for(const hash::line_pattern& pattern, core::backend which) {
  return BLOOMERY_BY(which, kernels_for(pattern));
}

}  // namespace bloomery::bits
