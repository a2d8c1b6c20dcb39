// The dynamic Bloom filter: rows of counting filters, one more whenever the last is full.
//
// Purpose:   a set that grows and shrinks, in memory that follows it.
// Cost:      a query asks every row: rows times a counting filter's cost.
// Guarantee: no false negatives while only keys that are in it are erased. The rate rises with every
//            row (1 - (1-f)^rows): beyond the planned keys it is no longer kept; the scalable filter
//            keeps it. A key is erased only if exactly one row claims it; else erase answers false
//            and changes nothing. A key that is claimed opens no row. Rows that together hold at
//            most half of what one can are merged as keys go; compact() merges whatever fits.
// Citation:  Guo, Wu, Chen, Luo 2010; Tarkoma §III-O.
//
//     auto live = bloomery::dynamic_filter::for_keys(100, 0.01);
//     for (std::uint64_t i = 0; i < 250; ++i) live.insert({bloomery::hash::mix(i), ~i});
//     assert(live.cells().rows() == 3);
//     for (std::uint64_t i = 0; i < 200; ++i) live.erase({bloomery::hash::mix(i), ~i});
//     assert(live.cells().rows() < 3);
//     assert(live.may_contain({bloomery::hash::mix(222), ~std::uint64_t{222}}));
#pragma once

#include <array>

#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/filters/changing/counting.hpp"

namespace bloomery {

struct dynamic_shape {
  std::uint64_t counters = 0;
  std::uint64_t hashes = 0;
  std::uint64_t counter_bits = 0;
  std::uint64_t row_keys = 0;

  static constexpr std::array fields{
      whole_field("counters", "m, counters in a row", &dynamic_shape::counters, 1, max_bits),
      whole_field("hashes", "k, counters per key", &dynamic_shape::hashes, 1, max_hashes),
      whole_field("counter_bits", "width of a counter", &dynamic_shape::counter_bits, 2,
                  bits::counter_array::max_width),
      whole_field("row_keys", "c, keys that a row takes", &dynamic_shape::row_keys, 1, max_keys),
  };
  [[nodiscard]] counting_shape row() const { return {counters, hashes, counter_bits}; }
  void check() const { row().check(); }
};

class dynamic_cells {
 public:
  using shape = dynamic_shape;
  using place = counting_cells::place;
  using can = ability_list<asks, inserts, erases, counts, saturates, overflowing, compacts>;
  static constexpr kind_info kind{
      .name = "dynamic",
      .title = "Dynamic Bloom filter",
      .answers = "Is x in a set that grows and shrinks?",
      .citation = "Guo et al. 2010",
      .header = "bloomery/filters/growing/dynamic.hpp",
      .declines_erase = true,
      .overflow = counting_overflow,
      .unmergeable =
          "its rows would be those of both, at twice the rate; insert the keys of one "
          "into the other",
  };

  explicit dynamic_cells(const shape& s) : shape_(s), keys_(1) { rows_.emplace_back(s.row()); }
  dynamic_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  [[nodiscard]] place locate(digest d) const { return rows_.front().locate(d); }
  void prefetch(const place& at) const {
    for (const counting_cells& row : rows_) row.prefetch(at);
  }
  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const;
  [[nodiscard]] std::uint64_t count(const place& at) const;
  [[nodiscard]] bool count_is_full(const place& at) const;  // in any row
  void compact() { merge_rows(shape_.row_keys); }

  [[nodiscard]] std::uint64_t rows() const { return rows_.size(); }
  [[nodiscard]] std::uint64_t overflows() const;

  static void each_part(auto& self, auto visit) {
    visit(self.keys_);
    for (auto& row : self.rows_) visit(row);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(1) + counting_cells::payload_bytes(s.row());
  }

 private:
  void set_rows(const std::vector<std::uint64_t>& keys);
  void merge_rows(std::uint64_t most_keys);
  [[nodiscard]] std::vector<std::uint64_t> keys_of_rows() const;

  shape shape_;
  bits::ledger keys_;  // in each row, repeats included
  std::vector<counting_cells> rows_;
};

using dynamic_filter = filter<dynamic_cells>;

}  // namespace bloomery
