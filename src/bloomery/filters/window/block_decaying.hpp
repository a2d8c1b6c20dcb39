// The block decaying Bloom filter: a window in counters of two bits.
//
// Purpose:   duplicates in a sliding window, small and fast. A key's counters are set to v; with each
//            arrival one of T blocks of counters is taken one down, by turns, so v rounds must pass
//            before a key is forgotten.
// Cost:      about 2.5 times the bits of a standard filter of the window; k cache lines to insert and
//            one block, a word or two, to run down; two lines for an absent key.
// Guarantee: no false negatives among the last W arrivals, with v = ⌈(W-1)/T⌉ + 1; a key whose last
//            arrival is W + 2T or more ago is a stranger. The rate holds at every moment.
// Citation:  Shen, Zhang 2008; Tarkoma §III-H. v without its + 1 loses keys.
//
//     auto recent = bloomery::block_decaying_filter::for_keys(1000, 0.01);
//     assert(recent.shape().cell_bits() == 2);
//     assert(recent.insert({1, 2}) && !recent.insert({1, 2}));
//     for (std::uint64_t i = 0; i < 999; ++i) recent.insert({i, 7});
//     assert(recent.may_contain({1, 2}));
#pragma once

#include <array>

#include "bloomery/bits/array/sweep.hpp"
#include "bloomery/filters/window/aging_cells.hpp"
#include "bloomery/math/kinds/block_decaying.hpp"

namespace bloomery {

struct block_decaying_shape {
  std::uint64_t blocks = 0;
  std::uint64_t block_cells = 0;
  std::uint64_t hashes = 0;
  std::uint64_t window = 0;

  static constexpr std::array fields{
      whole_field("blocks", "T, that run down by turns", &block_decaying_shape::blocks, 1,
                  max_keys),
      whole_field("block_cells", "counters in a block", &block_decaying_shape::block_cells, 1,
                  max_bits),
      whole_field("hashes", "k, counters per key", &block_decaying_shape::hashes, 1, max_hashes),
      whole_field("window", "W, arrivals remembered", &block_decaying_shape::window, 1, max_keys),
  };
  [[nodiscard]] math::block_decay decay() const { return {blocks, block_cells, hashes, window}; }
  [[nodiscard]] std::uint64_t cell_count() const { return blocks * block_cells; }
  [[nodiscard]] std::uint64_t cell_bits() const { return decay().counter_bits(); }
  void check() const;
};

class block_decaying_cells : public aging_cells<block_decaying_shape> {
 public:
  using can = ability_list<asks, inserts, forgets>;
  static constexpr kind_info kind{
      .name = "block-decaying",
      .title = "Block decaying Bloom filter",
      .answers = "Was x among the last W arrivals?",
      .citation = "Shen, Zhang 2008",
      .header = "bloomery/filters/window/block_decaying.hpp",
      .unmergeable = "the windows of two streams do not end with the same arrivals",
  };

  explicit block_decaying_cells(const shape& s) : block_decaying_cells(s, fresh(s)) {}
  block_decaying_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::block_decaying_rate(s.decay(), keys);
  }

  bool insert(digest d);

 private:
  block_decaying_cells(const shape& s, array cells)
      : aging_cells(s, std::move(cells)),
        start_(s.decay().start()),
        hand_(s.cell_count(), s.block_cells, time()) {}

  std::uint64_t start_;
  bits::sweep hand_;  // a block at a time
};

using block_decaying_filter = filter<block_decaying_cells>;

}  // namespace bloomery
