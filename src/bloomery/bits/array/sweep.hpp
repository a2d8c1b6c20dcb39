// A hand that goes round an array, some cells at each arrival: how cells age without a pass over all.
//
// Cost:      `step` cells in a row at each arrival; no division but to start.
// Guarantee: any ⌈cells/step⌉ arrivals in a row visit every cell. Where the hand is follows from the
//            number of arrivals, so it is not stored.
//
//     bloomery::bits::sweep hand(10, 4, 0);
//     std::uint64_t seen = 0;
//     const auto count = [&](std::uint64_t first, std::uint64_t last) { seen += last - first; };
//     for (int arrival = 0; arrival < 3; ++arrival) hand.advance(count);
//     assert(seen == 12 && hand.since(1) == 0 && hand.since(2) == 2);
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "bloomery/core/int128.hpp"

namespace bloomery::bits {

// act(first, last) on the runs, one or two, of `count` cells of a ring from `start` on; count <= cells.
template <class Act>
void on_ring(std::uint64_t cells, std::uint64_t start, std::uint64_t count, Act act) {
  assert(start < cells && count <= cells);
  const std::uint64_t straight = std::min(count, cells - start);
  act(start, start + straight);
  if (straight < count) act(std::uint64_t{0}, count - straight);
}

class sweep {
 public:
  // After `arrivals` arrivals; step <= cells.
  sweep(std::uint64_t cells, std::uint64_t step, std::uint64_t arrivals)
      : cells_(cells),
        step_(step),
        next_(static_cast<std::uint64_t>(static_cast<core::uint128>(arrivals) * step % cells)) {}

  template <class Act>
  void advance(Act act) {
    on_ring(cells_, next_, step_, act);
    next_ = next_ + step_ < cells_ ? next_ + step_ : next_ + step_ - cells_;
  }

  // Arrivals since the one that visited a cell, as if the hand had always been moving; step > 0.
  [[nodiscard]] std::uint64_t since(std::uint64_t cell) const {
    const std::uint64_t behind = next_ > cell ? next_ - cell : next_ + cells_ - cell;
    return (behind - 1) / step_;
  }

 private:
  std::uint64_t cells_;
  std::uint64_t step_;
  std::uint64_t next_;
};

}  // namespace bloomery::bits
