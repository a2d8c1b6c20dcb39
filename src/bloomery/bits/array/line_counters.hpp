// Small counters of 2 to 8 bits that stick when full, in blocks of one cache line.
//
// Purpose:   the cells of a blocked counting filter: each of a line's eight 64-bit lanes holds
//            ⌊64/width⌋ counters, so that no counter straddles two lanes.
// Cost:      one word per access, one line per block.
// Guarantee: as counter_array: a counter never wraps nor goes below zero, and one that reached its
//            maximum stays there. Stored bytes are checked for length and clean padding. Call
//            require_writable before changing an array that may be a view.
//
//     bloomery::bits::line_counters counters(10, 3);
//     assert(counters.per_lane() == 21 && counters.size() == 1680);
//     assert(counters.increment(9, 7, 20) == 0 && counters.get(9, 7, 20) == 1);
//     counters.decrement(9, 7, 20);
//     assert(counters.get(9, 7, 20) == 0 && counters.zeros() == 1680);
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/hash/line_pattern.hpp"

namespace bloomery::bits {

class line_counters {
 public:
  static constexpr unsigned min_width = 2;
  static constexpr unsigned max_width = 8;

  line_counters(std::uint64_t blocks, unsigned width);
  line_counters(std::uint64_t blocks, unsigned width, storage stored);
  static std::uint64_t stored_bytes(std::uint64_t blocks) { return blocks * cache_line_bytes; }

  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] unsigned per_lane() const { return hash::lane_bits / width_; }
  [[nodiscard]] std::uint64_t size() const { return blocks_ * hash::lane_count * per_lane(); }
  [[nodiscard]] std::uint64_t max_value() const { return most_; }

  [[nodiscard]] std::uint64_t get(std::uint64_t block, unsigned lane, unsigned cell) const {
    assert(block < blocks_ && lane < hash::lane_count && cell < per_lane());
    return core::little_endian(cells()[block * hash::lane_count + lane]) >> cell * width_ & most_;
  }

  // Both answer what the counter held; a full one stays, and so does zero.
  std::uint64_t increment(std::uint64_t block, unsigned lane, unsigned cell) {
    const std::uint64_t before = get(block, lane, cell);
    change(block, lane, std::uint64_t{before != most_} << cell * width_);
    return before;
  }
  std::uint64_t decrement(std::uint64_t block, unsigned lane, unsigned cell) {
    const std::uint64_t before = get(block, lane, cell);
    change(block, lane, 0 - (std::uint64_t{before != most_ && before != 0} << cell * width_));
    return before;
  }

  void merge(const line_counters& other);  // adds counter by counter; blocks and width must agree

  [[nodiscard]] std::uint64_t stuck() const;  // counters at their maximum; a pass over all
  [[nodiscard]] std::uint64_t zeros() const { return common_zeros(*this); }
  [[nodiscard]] std::uint64_t common_zeros(const line_counters& other) const;  // zero in both
  [[nodiscard]] std::array<double, hash::lane_count> fills(
      std::uint64_t block) const;  // share not zero

  // For kernels: a lane each, as they lie in memory. Only what is writable may be written to.
  [[nodiscard]] std::uint64_t* lanes() const { return const_cast<std::uint64_t*>(cells()); }
  [[nodiscard]] unsigned width() const { return width_; }

  void prefetch(std::uint64_t block) const { core::prefetch(cells() + block * hash::lane_count); }
  void require_writable() { (void)stored_.bytes_for_writing(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

 private:
  void change(std::uint64_t block, unsigned lane, std::uint64_t by) {
    assert(stored_.writable());
    auto& word = const_cast<std::uint64_t&>(cells()[block * hash::lane_count + lane]);  // owned
    word = core::little_endian(core::little_endian(word) + by);
  }
  // Of word w: a one at the lowest bit of each counter that is not zero, or that is full.
  [[nodiscard]] std::uint64_t nonzero(std::uint64_t w) const;
  [[nodiscard]] std::uint64_t full(std::uint64_t w) const;
  [[nodiscard]] const std::uint64_t* cells() const { return stored_.words<std::uint64_t>(); }
  [[nodiscard]] std::uint64_t words() const { return blocks_ * hash::lane_count; }

  storage stored_;
  std::uint64_t blocks_;
  unsigned width_;
  std::uint64_t most_;
  std::uint64_t lowest_;  // a one at the lowest bit of each counter
};

}  // namespace bloomery::bits
