// Which bits of a 512-bit line a key sets: k of them, spread evenly over eight 64-bit lanes.
//
// Purpose:   with k = 8·rounds + picked, 1 <= picked <= 8: one bit in every lane `rounds` times, and
//            one more in `picked` different lanes. math/laws/lanes.hpp has its exact rate.
// Cost:      a few vector instructions for all of them (bits/batch/line_kernels.inl); one multiply more if
//            k > 8.
// Guarantee: k in 1..16. Only `bits`, half a digest, is used: six bits a
//            position from its low 48, the picked lanes from its high 16.
//
//     const bloomery::hash::line_pattern pattern(8);
//     unsigned lanes = 0;
//     pattern.all(12345, [&](unsigned at) { lanes |= 1U << at / 64; return true; });
//     assert(lanes == 0xff);  // one bit in each
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "bloomery/hash/mix.hpp"

namespace bloomery::hash {

// One cache line as eight 64-bit lanes.
inline constexpr unsigned lane_count = 8;
inline constexpr unsigned lane_bits = 64;

// The subsets of eight lanes by size, each size's in rising order; as bytes, 0xff for a lane in it.
class lane_subsets {
 public:
  static constexpr unsigned most = 70;  // of one size: 8 choose 4

  constexpr lane_subsets() {
    for (unsigned subset = 1; subset < 1U << lane_count; ++subset) {
      const auto size = static_cast<unsigned>(std::popcount(subset));
      std::uint64_t bytes = 0;
      for (unsigned lane = 0; lane < lane_count; ++lane) {
        if ((subset >> lane & 1) != 0) bytes |= std::uint64_t{0xff} << 8 * lane;
      }
      members_[size][counts_[size]++] = bytes;
    }
  }

  [[nodiscard]] constexpr unsigned count(unsigned size) const { return counts_[size]; }
  [[nodiscard]] constexpr const std::uint64_t* of_size(unsigned size) const {
    return members_[size].data();
  }

 private:
  std::array<unsigned, lane_count + 1> counts_{};
  std::array<std::array<std::uint64_t, most>, lane_count + 1> members_{};
};
inline constexpr lane_subsets all_lane_subsets;

class line_pattern {
 public:
  static constexpr std::uint64_t most_hashes = std::uint64_t{2} * lane_count;

  explicit line_pattern(std::uint64_t k)
      : two_rounds_(k > lane_count),
        picked_(static_cast<unsigned>(k) - (two_rounds_ ? lane_count : 0)),
        subset_count_(all_lane_subsets.count(picked_)),
        subsets_(all_lane_subsets.of_size(picked_)) {
    assert(k >= 1 && k <= most_hashes);
  }

  // Calls visit(position below 512) for each of the k, and stops at the first that returns false.
  template <class Visit>
  bool all(std::uint64_t bits, Visit&& visit) const {
    if (two_rounds_) {
      for (unsigned lane = 0; lane < lane_count; ++lane) {
        if (!visit(position(bits, lane))) return false;
      }
    }
    const std::uint64_t last = two_rounds_ ? second(bits) : bits;
    const std::uint64_t chosen = subset(bits);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      if ((chosen >> 8 * lane & 1) != 0 && !visit(position(last, lane))) return false;
    }
    return true;
  }

  // For kernels, which do the same for all lanes at once.
  static constexpr unsigned position_bits = 6;
  [[nodiscard]] bool two_rounds() const { return two_rounds_; }
  [[nodiscard]] bool picks_all_lanes() const { return picked_ == lane_count; }
  [[nodiscard]] std::uint64_t subset(std::uint64_t bits) const {  // a byte a lane, 0 or 0xff
    return subsets_[(bits >> 48) * subset_count_ >> 16];
  }
  static constexpr std::uint64_t second(std::uint64_t bits) { return fold(bits, golden); }

 private:
  static constexpr unsigned position(std::uint64_t bits, unsigned lane) {
    return lane * lane_bits + static_cast<unsigned>(bits >> position_bits * lane & (lane_bits - 1));
  }
  bool two_rounds_;
  unsigned picked_;
  unsigned subset_count_;
  const std::uint64_t* subsets_;
};

}  // namespace bloomery::hash
