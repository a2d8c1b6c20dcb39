// The decaying Bloom filter: exactly the last W arrivals, and not one more.
//
// Purpose:   duplicates in a sliding window that must end sharply. In the paper every counter is
//            taken one down with each arrival and a key's k counters are set to W; here cells hold the
//            arrival that last set them, round a cycle, and a hand clears dead cells before the cycle
//            comes round: the same answers at every moment, in constant time.
// Cost:      ⌊log2 W⌋ + 2 bits a cell, one more than the paper: some 200 bits a key for a million. k
//            cache lines to insert and some ten cells in a row to sweep; two lines for an absent key.
// Guarantee: no false negatives among the last W arrivals; a key whose last arrival is W or more ago
//            is a stranger. The rate is that of a standard filter of W keys, forever.
// Citation:  Shen, Zhang 2008; Tarkoma §III-H.
//
//     auto last_two = bloomery::decaying_filter::for_keys(2, 0.001);
//     last_two.insert({1, 2});
//     last_two.insert({3, 4});
//     assert(last_two.may_contain({1, 2}));
//     last_two.insert({5, 6});
//     assert(!last_two.may_contain({1, 2}) && last_two.may_contain({3, 4}));
#pragma once

#include <array>

#include "bloomery/bits/array/sweep.hpp"
#include "bloomery/filters/window/aging_cells.hpp"
#include "bloomery/math/kinds/decaying.hpp"

namespace bloomery {

struct decaying_shape {
  std::uint64_t cells = 0;
  std::uint64_t hashes = 0;
  std::uint64_t window = 0;

  static constexpr std::array fields{
      whole_field("cells", "m, how many", &decaying_shape::cells, 1, max_bits),
      whole_field("hashes", "k, cells per key", &decaying_shape::hashes, 1, max_hashes),
      whole_field("window", "W, arrivals remembered", &decaying_shape::window, 1, max_keys),
  };
  [[nodiscard]] std::uint64_t cell_count() const { return cells; }
  [[nodiscard]] std::uint64_t cell_bits() const { return math::stamp_bits(window); }
  void check() const { detail::require_total_bits(cell_bits(), cells, "cells"); }
};

class decaying_cells : public aging_cells<decaying_shape> {
 public:
  using can = ability_list<asks, inserts, forgets>;
  static constexpr kind_info kind{
      .name = "decaying",
      .title = "Decaying Bloom filter",
      .answers = "Was x among exactly the last W arrivals?",
      .citation = "Shen, Zhang 2008",
      .header = "bloomery/filters/window/decaying.hpp",
      .unmergeable = "the windows of two streams do not end with the same arrivals",
  };

  explicit decaying_cells(const shape& s) : decaying_cells(s, fresh(s)) {}
  decaying_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::decaying_rate(s.cells, s.hashes, s.window, keys);
  }

  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const;

 private:
  decaying_cells(const shape& s, array cells)
      : aging_cells(s, std::move(cells)),
        cycle_(math::stamp_cycle(s.window)),
        now_(time() % cycle_),
        hand_(s.cells, math::cells_swept(s.cells, s.window), time()) {}

  [[nodiscard]] std::uint64_t age(std::uint64_t stamp) const {
    return stamp <= now_ ? now_ - stamp : now_ + cycle_ - stamp;
  }

  std::uint64_t cycle_;
  std::uint64_t now_;  // the stamp of the last arrival, 1 to cycle_; 0 is as good as cycle_
  bits::sweep hand_;
};

using decaying_filter = filter<decaying_cells>;

}  // namespace bloomery
