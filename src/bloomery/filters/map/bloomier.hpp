// The Bloomier filter: a value for each of a fixed set of keys, and for hardly any other key.
//
// Purpose:   a map built once from all its entries. A key's code is the exclusive or of its slots and
//            a mask of its own; codes below `values` are values, all others say "absent".
// Cost:      1.222·(log2(values) + log2(1/rate)) bits a key for many keys; k = 3 cache lines a
//            look-up, independent of each other. Building takes some hundred bytes a key for a while.
// Guarantee: the value of every key it was built from is exact, always. A stranger gets some value
//            with probability values/2^q, exactly. A key given twice with one value counts once, with
//            two values throws errc::invalid. Keys that do not fit throw errc::limit; for a planned
//            shape they do.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004 (the immutable table).
//
//     const std::vector<bloomery::keyed_value> entries{{{1, 2}, 7}, {{3, 4}, 0}, {{5, 6}, 12}};
//     const auto map = bloomery::bloomier_filter::build(
//         bloomery::bloomier_filter::plan_map(entries.size(), 1e-6, 13), entries);
//     assert(map.value({1, 2}).value == 7 && map.value({5, 6}).value == 12);
//     assert(map.value({7, 8}).is == bloomery::mapped::state::absent);
#pragma once

#include <array>

#include "bloomery/bits/table/peeled_table.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/math/kinds/bloomier.hpp"
#include "bloomery/math/laws/map_values.hpp"

namespace bloomery {

struct bloomier_shape {
  std::uint64_t slots = 0;
  std::uint64_t hashes = 0;
  std::uint64_t cell_bits = 0;
  std::uint64_t values = 0;

  static constexpr std::array fields{
      whole_field("slots", "m, how many", &bloomier_shape::slots, 1, max_bits),
      whole_field("hashes", "k, slots per key", &bloomier_shape::hashes, math::fewest_slots_per_key,
                  math::most_slots_per_key),
      whole_field("cell_bits", "q, bits in a slot", &bloomier_shape::cell_bits, 1, 64),
      whole_field("values", "how many there are: 0 to one less", &bloomier_shape::values, 1,
                  math::max_codes),
  };
  void check() const;

  [[nodiscard]] bits::peeled_layout layout() const {
    return {slots, hashes, static_cast<unsigned>(cell_bits)};
  }
};

// What the immutable and the mutable one have in common.
inline constexpr std::uint64_t planned_slots_per_key = 3;  // which needs the fewest slots
void require_slots(std::uint64_t slots, std::uint64_t hashes, std::uint64_t bits_each);
void require_items(const bits::peeled_table& table, const filter_record& record);

class bloomier_cells {
 public:
  using shape = bloomier_shape;
  using place = bits::peeled_table::place;
  using can = ability_list<asks, builds, maps, checks_record>;
  static constexpr kind_info kind{
      .name = "bloomier",
      .title = "Bloomier filter",
      .answers = "Is x in the set, and what is its value?",
      .citation = "Chazelle et al. 2004",
      .header = "bloomery/filters/map/bloomier.hpp",
  };

  explicit bloomier_cells(const shape& s) : table_(s.layout()), values_(s.values) {}
  bloomier_cells(const shape& s, storage stored)
      : table_(s.layout(), std::move(stored)), values_(s.values) {}
  static bloomier_cells build(const shape& s, entry_span entries, unsigned threads);
  void require_record(const filter_record& record) const { require_items(table_, record); }

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.slots, s.cell_bits, s.hashes);
  }
  static std::uint64_t value_limit(const shape& s) { return s.values; }

  [[nodiscard]] place locate(digest d) const { return table_.locate(d); }
  void prefetch(const place& at) const { table_.prefetch(at); }
  [[nodiscard]] mapped value(const place& at) const {
    const std::uint64_t code = table_.code(at);
    if (code >= values_ || table_.empty()) return {};
    return {mapped::state::present, code};
  }
  [[nodiscard]] bool contains(const place& at) const {
    return table_.code(at) < values_ && !table_.empty();
  }

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::peeled_table::stored_bytes(s.layout());
  }

 private:
  bloomier_cells(bits::peeled_table table, std::uint64_t values)
      : table_(std::move(table)), values_(values) {}

  bits::peeled_table table_;
  std::uint64_t values_;
};

using bloomier_filter = filter<bloomier_cells>;

}  // namespace bloomery
