// What filters of ageing cells share: packed cells, a clock in front of them, k uniform positions.
//
// Purpose:   the base of cells that are set when a key arrives and run down later. The shape says how
//            many cells there are (cell_count), and how wide (cell_bits).
//
//     const auto filter = bloomery::decaying_filter::for_keys(100, 0.01);
//     assert(filter.payload().size() == 2 && filter.payload().front().size() == 64);
#pragma once

#include <algorithm>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/clocked.hpp"
#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

template <class Shape>
class aging_cells {
 public:
  using shape = Shape;
  using place = digest;  // positions are worked out as they are needed: queries stop early

  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.cell_count(), std::min(keys, s.window), s.hashes, s.cell_bits());
  }

  void prefetch(digest d) const {
    each(d, [&](std::uint64_t i) { cells_.cells.prefetch(i); });
  }

  [[nodiscard]] bool contains(digest d) const {
    return probes_.all(d, [&](std::uint64_t i) { return get(i) != 0; });
  }

  [[nodiscard]] std::uint64_t window() const { return shape_.window; }
  static void each_part(auto& self, auto visit) { visit(self.cells_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return array::payload_bytes(bits::bit_array_bytes(s.cell_count() * s.cell_bits()));
  }

 protected:
  using array = bits::clocked<bits::packed_array>;

  static array fresh(const shape& s) { return array(bits::packed_array(s.cell_count(), width(s))); }
  static array restored(const shape& s, storage stored) {
    return array(std::move(stored), [&](storage rest) {
      return bits::packed_array(s.cell_count(), width(s), std::move(rest));
    });
  }
  aging_cells(const shape& s, array cells)
      : shape_(s), probes_{s.cell_count(), s.hashes}, cells_(std::move(cells)) {}

  void each(digest d, auto visit) const { hash::each_position(probes_, d, visit); }
  [[nodiscard]] std::uint64_t time() const { return cells_.time(); }
  void tick() { cells_.set_time(cells_.time() + 1); }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const { return cells_.cells.get(i); }
  void set(std::uint64_t i, std::uint64_t value) { cells_.cells.set(i, value); }

  void run_down(std::uint64_t first, std::uint64_t last) { cells_.cells.run_down(first, last); }

  // Throws errc::corrupt unless `possible(cell, value)` for every cell that is not zero.
  template <class Possible>
  void require_possible(Possible possible) const {
    for (std::uint64_t i = 0; i < shape_.cell_count(); ++i) {
      const std::uint64_t value = get(i);
      if (value == 0 || possible(i, value)) continue;
      fail(errc::corrupt, "cell " + std::to_string(i) + " holds " + std::to_string(value) +
                              ", which no history leaves there");
    }
  }

  shape shape_;
  hash::uniform_probes probes_;
  array cells_;

 private:
  static unsigned width(const shape& s) { return static_cast<unsigned>(s.cell_bits()); }
};

}  // namespace bloomery
