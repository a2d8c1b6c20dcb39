// Cells and the time they are at: what a structure that forgets keeps.
//
// Purpose:   one number, arrivals or milliseconds, stored in a cache line in front of the cells and
//            restored with them.
// Guarantee: stored bytes are checked for length, padding and a time of at most max_items; what the
//            cells may hold is for the structure to check. Time running backwards is refused.
//
//     bloomery::bits::clocked<bloomery::bits::bit_array> bits{bloomery::bits::bit_array(100)};
//     bits.set_time(7);
//     assert(bits.time() == 7 && bits.cells.size() == 100);
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery::bits {

template <class Array>
class clocked {
 public:
  explicit clocked(Array of_cells) : clock_(1), cells(std::move(of_cells)) {}

  // make(storage) gives the cells from what follows the clock.
  template <class Make>
  clocked(storage stored, Make make)
      : clock_(1, stored.take_stored(ledger::stored_bytes(1))), cells(make(std::move(stored))) {
    if (time() > max_items) {
      fail(errc::corrupt, "the clock is at " + std::to_string(time()) + "; allowed: 0 to " +
                              std::to_string(max_items));
    }
  }

  [[nodiscard]] std::uint64_t time() const { return clock_.get(0); }
  void set_time(std::uint64_t now) { clock_.set(0, now); }

  // Throws errc::invalid unless the clock may be moved on to `now`.
  void require_later(std::uint64_t now) const {
    if (now >= time() && now <= max_items) return;
    fail(errc::invalid, "the time is " + std::to_string(now) +
                            "; allowed: " + std::to_string(time()) + ", where the filter is, to " +
                            std::to_string(max_items));
  }

  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.clock_);
    visit(self.cells);
  }
  static std::uint64_t payload_bytes(std::uint64_t cell_bytes) {
    return ledger::stored_bytes(1) + cell_bytes;
  }

 private:
  ledger clock_;  // taken off the front before the cells are made of the rest

 public:
  Array cells;
};

}  // namespace bloomery::bits
