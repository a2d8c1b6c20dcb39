#include "bloomery/bits/array/line_counters.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

std::uint64_t checked_bytes(std::uint64_t blocks) {
  constexpr std::uint64_t most = max_bits / cache_line_bits;
  if (blocks < 1 || blocks > most) {
    fail(errc::limit,
         std::to_string(blocks) + " lines of counters; allowed: 1 to " + std::to_string(most));
  }
  return line_counters::stored_bytes(blocks);
}

std::uint64_t ones_every(unsigned width) {
  if (width < line_counters::min_width || width > line_counters::max_width) {
    fail(errc::invalid, "counters of " + std::to_string(width) +
                            " bits; allowed: " + std::to_string(line_counters::min_width) + " to " +
                            std::to_string(line_counters::max_width));
  }
  std::uint64_t ones = 0;
  for (unsigned cell = 0; cell < hash::lane_bits / width; ++cell)
    ones |= std::uint64_t{1} << cell * width;
  return ones;
}

std::uint64_t count(std::uint64_t word) {
  return static_cast<std::uint64_t>(std::popcount(word));
}

}  // namespace

line_counters::line_counters(std::uint64_t blocks, unsigned width)
    : line_counters(blocks, width, storage::allocate(checked_bytes(blocks))) {}

line_counters::line_counters(std::uint64_t blocks, unsigned width, storage stored)
    : stored_(std::move(stored)),
      blocks_(blocks),
      width_(width),
      most_((std::uint64_t{1} << width) - 1),
      lowest_(ones_every(width)) {
  if (stored_.size() != checked_bytes(blocks)) {
    fail(errc::corrupt, std::to_string(blocks) + " lines of counters take " +
                            std::to_string(checked_bytes(blocks)) + " bytes, there are " +
                            std::to_string(stored_.size()));
  }
  const std::uint64_t padding = core::little_endian(~(lowest_ * most_));
  if (std::any_of(cells(), cells() + words(),
                  [&](std::uint64_t w) { return (w & padding) != 0; })) {
    fail(errc::corrupt, "bits are set beside the counters of a lane");
  }
}

std::uint64_t line_counters::nonzero(std::uint64_t w) const {
  const std::uint64_t word = core::little_endian(cells()[w]);
  std::uint64_t any = 0;
  for (unsigned bit = 0; bit < width_; ++bit) any |= word >> bit;
  return any & lowest_;
}

std::uint64_t line_counters::full(std::uint64_t w) const {
  const std::uint64_t word = core::little_endian(cells()[w]);
  std::uint64_t all = lowest_;
  for (unsigned bit = 0; bit < width_; ++bit) all &= word >> bit;
  return all;
}

void line_counters::merge(const line_counters& other) {
  assert(blocks_ == other.blocks_ && width_ == other.width_);
  for (std::uint64_t block = 0; block < blocks_; ++block) {
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      if (other.nonzero(block * hash::lane_count + lane) == 0) continue;
      for (unsigned cell = 0; cell < per_lane(); ++cell) {
        const std::uint64_t room = most_ - get(block, lane, cell);
        change(block, lane, std::min(room, other.get(block, lane, cell)) << cell * width_);
      }
    }
  }
}

std::uint64_t line_counters::stuck() const {
  std::uint64_t total = 0;
  for (std::uint64_t w = 0; w < words(); ++w) total += count(full(w));
  return total;
}

std::uint64_t line_counters::common_zeros(const line_counters& other) const {
  assert(blocks_ == other.blocks_ && width_ == other.width_);
  std::uint64_t total = size();
  for (std::uint64_t w = 0; w < words(); ++w) total -= count(nonzero(w) | other.nonzero(w));
  return total;
}

std::array<double, hash::lane_count> line_counters::fills(std::uint64_t block) const {
  std::array<double, hash::lane_count> shares{};
  for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
    shares[lane] =
        static_cast<double>(count(nonzero(block * hash::lane_count + lane))) / per_lane();
  }
  return shares;
}

}  // namespace bloomery::bits
