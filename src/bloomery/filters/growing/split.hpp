// The split Bloom filter: a fixed number of rows, filled one after another.
//
// Purpose:   the surveys' s × m matrix for a set whose largest size is known: inserts touch one row.
// Cost:      a query asks every row until one claims the key; rows of them err more than one filter
//            of all the bits, which is smaller at the same rate and nearly always the better choice.
// Guarantee: no false negatives. Which row takes a key is not settled by the surveys; here rows fill
//            in order, `row_keys` keys each, and a key that some row claims is not stored again.
//            With all rows full insert throws errc::limit and changes nothing: rebuild larger.
// Citation:  Xiao, Dai, Li 2004; Tarkoma §III-P.
//
//     auto filter = bloomery::split_filter::for_keys(1000, 0.01);
//     filter.insert({1, 2});
//     assert(filter.may_contain({1, 2}) && !filter.may_contain({3, 4}));
//     assert(bloomery::split_filter::capacity(filter.shape()) >= 1000);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct split_shape {
  std::uint64_t rows = 0;
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t row_keys = 0;

  static constexpr std::array fields{
      whole_field("rows", "s, filled one after another", &split_shape::rows, 1, 1 << 16),
      whole_field("bits", "m, the size of a row", &split_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key", &split_shape::hashes, 1, max_hashes),
      whole_field("row_keys", "c, keys that a row takes", &split_shape::row_keys, 1, max_keys),
  };
  void check() const { detail::require_total_bits(bits, rows, "rows"); }
};

class split_cells {
 public:
  using shape = split_shape;
  using place = hash::positions;
  using can = ability_list<asks, inserts, has_capacity>;
  static constexpr kind_info kind{
      .name = "split",
      .title = "Split Bloom filter",
      .answers = "Is x in the set?",
      .citation = "Xiao, Dai, Li 2004",
      .header = "bloomery/filters/growing/split.hpp",
      .rate_is_limit = true,
      .unmergeable =
          "its rows are counted full by their own keys; insert the keys of one into the "
          "other",
  };

  explicit split_cells(const shape& s);
  split_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);
  static std::uint64_t capacity(const shape& s) {
    return s.row_keys > max_keys / s.rows ? max_keys : s.rows * s.row_keys;
  }

  [[nodiscard]] place locate(digest d) const {
    return hash::positions_of(hash::uniform_probes{shape_.bits, shape_.hashes}, d);
  }
  void prefetch(const place& at) const;
  bool insert(const place& at);
  [[nodiscard]] bool contains(const place& at) const;

  static void each_part(auto& self, auto visit) {
    visit(self.filled_);
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  [[nodiscard]] std::uint64_t row() const { return filled_.get(0); }
  [[nodiscard]] std::uint64_t keys_in_row() const { return filled_.get(1); }
  [[nodiscard]] bool row_contains(std::uint64_t row, const place& at) const;

  shape shape_;
  bits::ledger filled_;  // the row that takes keys, and how many it has
  bits::bit_array bits_;
};

using split_filter = filter<split_cells>;

}  // namespace bloomery
