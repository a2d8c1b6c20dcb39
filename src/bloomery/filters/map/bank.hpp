// The filter bank: a standard filter for each class of keys, all of one shape.
//
// Purpose:   which class is x in? Keys come one by one, each with its class; a key may be in several.
// Cost:      the filters lie side by side, bit i of all in row i, so that a query reads k rows for all
//            classes at once and stops when none is left.
// Guarantee: every class that was given for a key claims it; others do at the rate of a standard
//            filter. `value` tells the class if one alone claims the key, and "unknown" if several do;
//            it is never a wrong one for a key of one class. Merging is the union.
// Citation:  Tarkoma §III-M.
//
//     bloomery::bank_filter port(bloomery::bank_filter::plan_map(1000, 0.01, 24));
//     port.set_value({1, 2}, 7);
//     assert(port.value({1, 2}).value == 7);
//     port.set_value({1, 2}, 9);
//     assert(port.value({1, 2}).is == bloomery::mapped::state::unknown);
//     assert(port.cells().hits({1, 2}) == (std::vector<std::uint64_t>{7, 9}));
#pragma once

#include <array>

#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/bank.hpp"

namespace bloomery {

struct bank_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t classes = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, of each class's filter", &bank_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key", &bank_shape::hashes, 1, max_hashes),
      whole_field("classes", "filters, and values a key may have", &bank_shape::classes, 1,
                  math::max_classes),
  };
  void check() const { detail::require_total_bits(lanes() * lane_bits(), bits, "rows"); }

  // A row is one cell of as many bits as there are classes, or several of 64.
  [[nodiscard]] std::uint64_t lanes() const { return (classes + 63) / 64; }
  [[nodiscard]] unsigned lane_bits() const {
    return classes > 64 ? 64 : static_cast<unsigned>(classes);
  }
  [[nodiscard]] math::bank_size size() const { return {bits, hashes, classes}; }
};

class bank_cells {
 public:
  using shape = bank_shape;
  using place = hash::positions;
  using can = ability_list<asks, inserts, maps, sets_values, classifies, merges>;
  static constexpr kind_info kind{
      .name = "bank",
      .title = "Filter bank",
      .answers = "In which classes is x?",
      .citation = "Tarkoma et al. 2012",
      .header = "bloomery/filters/map/bank.hpp",
  };

  explicit bank_cells(const shape& s)
      : bank_cells(s, bits::packed_array(s.bits * s.lanes(), s.lane_bits())) {}
  bank_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static shape plan_loads(const shape& wanted, load_span loads, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::bank_rate(s.size(), keys);
  }
  static double rate_of_loads(const shape& s, load_span loads) {
    return math::bank_rate(s.size(), loads);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::bank_cost(s.size(), keys);
  }
  static std::uint64_t value_limit(const shape& s) { return s.classes; }

  [[nodiscard]] place locate(digest d) const { return hash::positions_of(probes_, d); }
  void prefetch(const place& at) const {
    for (const std::uint64_t row : at) rows_.prefetch(row * lanes_);
  }
  bool insert(const place& at) {  // into class 0
    const bool fresh = !contains(at);
    return set_value(at, 0), fresh;
  }
  bool set_value(const place& at, std::uint64_t value);
  [[nodiscard]] bool contains(const place& at) const {
    return value(at).is != mapped::state::absent;
  }
  [[nodiscard]] mapped value(const place& at) const;
  // All classes that claim the key, in order.
  [[nodiscard]] std::vector<std::uint64_t> hits(digest d) const;
  void merge(const bank_cells& other);

  static void each_part(auto& self, auto visit) { visit(self.rows_); }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  bank_cells(const shape& s, bits::packed_array rows)
      : shape_(s), probes_{s.bits, s.hashes}, lanes_(s.lanes()), rows_(std::move(rows)) {}
  // Of classes 64·lane on: those whose bit is set in every row.
  [[nodiscard]] std::uint64_t claimed(const place& at, std::uint64_t lane) const {
    std::uint64_t all = ~std::uint64_t{0};
    for (const std::uint64_t row : at) {
      all &= rows_.get(row * lanes_ + lane);
      if (all == 0) break;
    }
    return all;
  }

  shape shape_;
  hash::uniform_probes probes_;
  std::uint64_t lanes_;
  bits::packed_array rows_;
};

using bank_filter = filter<bank_cells>;

}  // namespace bloomery
