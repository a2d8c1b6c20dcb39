// The mutable Bloomier filter: a fixed set of keys whose values can change.
//
// Purpose:   a map built once from all its keys. The first table says which of a key's k slots is its
//            own; in the second table the value lies there, and can be set.
// Cost:      1.222·(log2(k/rate) + value_bits) bits a key for many keys; k + 1 = 4 cache lines a
//            look-up or change, of which the last waits for the others.
// Guarantee: the value of every key is the one it was last given, whatever else was set. A stranger
//            is claimed with probability at most k/2^q (Lemma 4.2), here exactly; setting the value of
//            one that is claimed overwrites that of the key whose slot it is, if it is anyone's.
//            Setting that of one that is not answers false and changes nothing.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004.
//
//     const std::vector<bloomery::keyed_value> entries{{{1, 2}, 7}, {{3, 4}, 0}};
//     auto map = bloomery::bloomier_mutable_filter::build(
//         bloomery::bloomier_mutable_filter::plan_map(entries.size(), 1e-6, 100), entries);
//     assert(map.set_value({3, 4}, 99) && !map.set_value({5, 6}, 1));
//     assert(map.value({3, 4}).value == 99 && map.value({1, 2}).value == 7);
#pragma once

#include <array>

#include "bloomery/filters/map/bloomier.hpp"

namespace bloomery {

struct bloomier_mutable_shape {
  std::uint64_t slots = 0;
  std::uint64_t hashes = 0;
  std::uint64_t cell_bits = 0;
  std::uint64_t value_bits = 0;

  static constexpr std::array fields{
      whole_field("slots", "m, how many in each table", &bloomier_mutable_shape::slots, 1,
                  max_bits),
      whole_field("hashes", "k, slots per key", &bloomier_mutable_shape::hashes,
                  math::fewest_slots_per_key, math::most_slots_per_key),
      whole_field("cell_bits", "q, bits in a slot of the first table",
                  &bloomier_mutable_shape::cell_bits, 2, 64),
      whole_field("value_bits", "bits in a slot of the second", &bloomier_mutable_shape::value_bits,
                  1, math::max_value_bits),
  };
  void check() const;

  [[nodiscard]] bits::peeled_layout layout() const {
    return {slots, hashes, static_cast<unsigned>(cell_bits)};
  }
};

class bloomier_mutable_cells {
 public:
  using shape = bloomier_mutable_shape;
  using place = bits::peeled_table::place;
  using can = ability_list<asks, builds, maps, sets_values, checks_record>;
  static constexpr kind_info kind{
      .name = "bloomier-mutable",
      .title = "Mutable Bloomier filter",
      .answers = "Is x in the set, and what is its value now?",
      .citation = "Chazelle et al. 2004",
      .header = "bloomery/filters/map/bloomier_mutable.hpp",
  };

  explicit bloomier_mutable_cells(const shape& s);
  bloomier_mutable_cells(const shape& s, storage stored);
  static bloomier_mutable_cells build(const shape& s, entry_span entries, unsigned threads);
  void require_record(const filter_record& record) const { require_items(table_, record); }

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return bloomier_cells::predicted_rate({s.slots, s.hashes, s.cell_bits, s.hashes}, keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);
  static std::uint64_t value_limit(const shape& s) { return math::values_of_bits(s.value_bits); }

  [[nodiscard]] place locate(digest d) const { return table_.locate(d); }
  void prefetch(const place& at) const { table_.prefetch(at); }
  [[nodiscard]] bool contains(const place& at) const {
    return table_.code(at) < at.slots.size() && !table_.empty();
  }
  [[nodiscard]] mapped value(const place& at) const;
  bool set_value(const place& at, std::uint64_t value);

  static void each_part(auto& self, auto visit) {
    visit(self.table_);
    visit(self.values_);
  }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  bloomier_mutable_cells(bits::peeled_table table, bits::packed_array values)
      : table_(std::move(table)), values_(std::move(values)) {}

  bits::peeled_table table_;
  bits::packed_array values_;
};

using bloomier_mutable_filter = filter<bloomier_mutable_cells>;

}  // namespace bloomery
