// The stable Bloom filter: duplicates in a stream without end, in memory that need not know its length.
//
// Purpose:   with each arrival P cells in a row, from a random one on, are taken one down, and then the
//            key's K cells set to the highest value. The share of zeros settles, and the rate with it.
// Cost:      cells of 1 to 8 bits, P of them in a row (about 140 of four bits at 1 %) and K cache lines
//            to insert; two for an absent key. Some nine times the bits of a standard filter for a
//            window that it misses one key of in a hundred.
// Guarantee: the rate rises to a limit that is at most the promised one. Errors are two-sided: a key may
//            be forgotten at any time, at a rate that is predicted for each gap between arrivals.
// Citation:  Deng, Rafiei 2006; Tarkoma §III-I. P is rounded up: rounded to nearest it can break the
//            promise.
//
//     auto seen = bloomery::stable_filter::for_keys(1000, 0.01);
//     assert(seen.insert({1, 2}) && !seen.insert({1, 2}));
//     assert(bloomery::stable_filter::predicted_false_negatives(seen.shape(), 1000) <= 0.01);
#pragma once

#include <array>
#include <bit>

#include "bloomery/filters/window/aging_cells.hpp"
#include "bloomery/math/kinds/stable.hpp"

namespace bloomery {

struct stable_shape {
  std::uint64_t cells = 0;
  std::uint64_t hashes = 0;
  std::uint64_t highest = 0;
  std::uint64_t decrements = 0;
  std::uint64_t window = 0;

  static constexpr std::array fields{
      whole_field("cells", "m, how many", &stable_shape::cells, 1, max_bits),
      whole_field("hashes", "K, cells per key", &stable_shape::hashes, 1, max_hashes),
      whole_field("highest", "Max, what a cell is set to", &stable_shape::highest, 1, 255),
      whole_field("decrements", "P, cells taken down with an arrival", &stable_shape::decrements, 1,
                  max_bits),
      whole_field("window", "arrivals after which a key is planned to be found",
                  &stable_shape::window, 1, max_keys),
  };
  [[nodiscard]] math::stable_size size() const { return {cells, hashes, highest, decrements}; }
  [[nodiscard]] std::uint64_t cell_count() const { return cells; }
  [[nodiscard]] std::uint64_t cell_bits() const {
    return static_cast<std::uint64_t>(std::bit_width(highest));
  }
  void check() const;
};

class stable_cells : public aging_cells<stable_shape> {
 public:
  using can = ability_list<asks, inserts, loses, forgets>;
  static constexpr kind_info kind{
      .name = "stable",
      .title = "Stable Bloom filter",
      .answers = "Has x been seen lately?",
      .citation = "Deng, Rafiei 2006",
      .header = "bloomery/filters/window/stable.hpp",
      .false_negatives = true,
      .rate_is_limit = true,
      .unmergeable = "each has forgotten other keys than the other",
  };

  explicit stable_cells(const shape& s) : aging_cells(s, fresh(s)) {}
  stable_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::stable_rate(s.size(), keys);
  }
  // That a key is missed when `keys` others have come since.
  static double predicted_false_negatives(const shape& s, std::uint64_t keys) {
    return math::stable_misses(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::filled_cost(math::stable_fill(s.size(), keys), s.cells * s.cell_bits(), s.hashes);
  }

  bool insert(digest d);

 private:
  using aging_cells::aging_cells;
};

using stable_filter = filter<stable_cells>;

}  // namespace bloomery
