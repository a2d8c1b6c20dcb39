// Which cells of a line a key has, where a lane of 64 bits holds `cells` of them: k, spread evenly.
//
// Purpose:   line_pattern for cells wider than a bit. With k = 8·rounds + picked, 1 <= picked <= 8: one
//            cell in every lane `rounds` times, and one more in `picked` different lanes.
//            math/laws/lanes.hpp has its exact rate.
// Cost:      two multiplies per cell; no branch but the loop's.
// Guarantee: k in 1..16, cells in 1..64. Only `bits`, half a digest, is used: it is read as a
//            fraction, from which each choice takes what it needs, 48 bits in all at most, so that
//            the bias of any is below 2^-12.
//
//     const bloomery::hash::lane_cells pattern(6, 21);
//     std::set<unsigned> lanes;
//     pattern.each(12345, [&](unsigned lane, unsigned cell) { if (cell < 21) lanes.insert(lane); });
//     assert(lanes.size() == 6 && *lanes.rbegin() < 8);
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

#include "bloomery/core/int128.hpp"
#include "bloomery/hash/line_pattern.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::hash {

// For each lane of a subset, as a byte, how many of its lanes come before; 0x80 for a lane not in it.
constexpr std::uint64_t lane_ranks(std::uint64_t subset) {
  std::uint64_t ranks = 0;
  std::uint64_t next = 0;
  for (unsigned lane = 0; lane < lane_count; ++lane) {
    const bool is_in = (subset >> 8 * lane & 1) != 0;
    ranks |= (is_in ? next : 0x80) << 8 * lane;
    next += is_in ? 1 : 0;
  }
  return ranks;
}

class lane_cells {
 public:
  static constexpr std::uint64_t most_hashes = line_pattern::most_hashes;

  lane_cells(std::uint64_t k, unsigned cells)
      : two_rounds_(k > lane_count),
        cells_(cells),
        subset_count_(all_lane_subsets.count(picked(k))),
        subsets_(all_lane_subsets.of_size(picked(k))) {
    assert(k >= 1 && k <= most_hashes && cells >= 1 && cells <= lane_bits);
  }

  // Calls visit(lane, cell) for each of the k. The two of one lane may be the same.
  template <class Visit>
  [[gnu::always_inline]] void each(std::uint64_t bits, Visit visit) const {
    constexpr std::uint64_t lowest_of_bytes = 0x0101010101010101;
    std::uint64_t lanes = subsets_[take(bits, subset_count_)] & lowest_of_bytes;
    for (; lanes != 0; lanes &= lanes - 1) {
      visit(static_cast<unsigned>(std::countr_zero(lanes)) / 8, take(bits, cells_));
    }
    if (!two_rounds_) return;
    bits = mix(bits);  // a multiple of golden would follow the line, under the integer hash
    for (unsigned lane = 0; lane < lane_count; ++lane) visit(lane, take(bits, cells_));
  }

  // For kernels, which do the same for several keys at once.
  [[nodiscard]] bool two_rounds() const { return two_rounds_; }
  [[nodiscard]] unsigned cells() const { return cells_; }
  [[nodiscard]] unsigned subset_count() const { return subset_count_; }
  [[nodiscard]] const std::uint64_t* subsets() const { return subsets_; }

 private:
  static constexpr unsigned picked(std::uint64_t k) {
    return static_cast<unsigned>(k - (k > lane_count ? lane_count : 0));
  }
  // The fraction times `range`: the whole part is the choice, the rest is the next fraction.
  static constexpr unsigned take(std::uint64_t& fraction, unsigned range) {
    const core::uint128 product = static_cast<core::uint128>(fraction) * range;
    fraction = static_cast<std::uint64_t>(product);
    return static_cast<unsigned>(product >> 64);
  }

  bool two_rounds_;
  unsigned cells_;
  unsigned subset_count_;
  const std::uint64_t* subsets_;
};

}  // namespace bloomery::hash
