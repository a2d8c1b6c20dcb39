// The Bloomier cascade: a map made of pairs of Bloom filters, each pair for what the one before left
// undecided.
//
// Purpose:   the warm-up of the Bloomier paper, for any number of values. For each binary digit of the
//            values a pair of filters holds the keys that have 0 there and those that have 1; keys
//            that pass both are held again by the next, roomier pair, and the last few exactly.
// Cost:      for two values 1.6 times the least bits there are at 1 %, more for more values: bloomier,
//            fuse and ribbon take less; two filters of k hashes for each digit of a value.
// Guarantee: the value of every key it was built from is exact. A stranger gets a value at the rate
//            of math/kinds/bloomier_cascade.hpp. A key given twice with one value counts once, with two values throws
//            errc::invalid; more keys than it is laid out for throw errc::limit when they do not fit.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004, §2.
//
//     const std::vector<bloomery::keyed_value> entries{{{1, 2}, 2}, {{3, 4}, 0}, {{5, 6}, 1}};
//     const auto map = bloomery::bloomier_cascade_filter::build(
//         bloomery::bloomier_cascade_filter::plan_map(entries.size(), 1e-6, 3), entries);
//     assert(map.value({1, 2}).value == 2 && map.value({5, 6}).value == 1);
//     assert(map.value({7, 8}).is == bloomery::mapped::state::absent);
#pragma once

#include <array>

#include "bloomery/bits/array/digest_list.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/table/pair_cascade.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/map/entries.hpp"
#include "bloomery/math/kinds/bloomier_cascade.hpp"
#include "bloomery/math/laws/map_values.hpp"

namespace bloomery {

struct bloomier_cascade_shape {
  std::uint64_t keys = 0;
  std::uint64_t hashes = 0;
  std::uint64_t values = 0;

  static constexpr std::array fields{
      whole_field("keys", "distinct keys to lay it out for", &bloomier_cascade_shape::keys, 1,
                  max_keys),
      whole_field("hashes", "k, bits per key in a filter", &bloomier_cascade_shape::hashes, 1,
                  max_hashes),
      whole_field("values", "how many there are: 0 to one less", &bloomier_cascade_shape::values, 1,
                  math::max_cascade_values),
  };
  void check() const;
  [[nodiscard]] math::cascade sizes() const { return {keys, hashes, values}; }
};

class bloomier_cascade_cells {
 public:
  using shape = bloomier_cascade_shape;
  using place = digest;
  using can = ability_list<asks, builds, maps, tells_rate, checks_record>;
  static constexpr kind_info kind{
      .name = "bloomier-cascade",
      .title = "Cascade of Bloom filter pairs",
      .answers = "Is x in the set, and what is its value?",
      .citation = "Chazelle et al. 2004",
      .header = "bloomery/filters/map/bloomier_cascade.hpp",
      .rate_is_limit = true,
  };

  explicit bloomier_cascade_cells(const shape& s);
  bloomier_cascade_cells(const shape& s, storage stored);
  static bloomier_cascade_cells build(const shape& s, entry_span entries, unsigned threads);
  void require_record(const filter_record& record) const;

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys) { return s.sizes().rate(keys); }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return s.sizes().cost(keys);
  }
  static std::uint64_t value_limit(const shape& s) { return s.values; }

  void prefetch(digest d) const { filters_.prefetch(d, 0); }
  [[nodiscard]] mapped value(digest d) const;
  [[nodiscard]] bool contains(digest d) const { return value(d).is == mapped::state::present; }
  [[nodiscard]] std::uint64_t levels() const { return filters_.levels(); }
  [[nodiscard]] std::uint64_t listed() const { return list_.size(); }
  [[nodiscard]] double fill() const { return filters_.fills().front(); }  // of the first level
  [[nodiscard]] double current_rate() const {
    return shape_.sizes().instance_rate(filters_.fills());
  }

  static void each_part(auto& self, auto visit) {
    visit(self.attempt_);
    visit(self.filters_);
    visit(self.list_);
  }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  bloomier_cascade_cells(const shape& s, bits::ledger attempt, bits::pair_cascade filters,
                         bits::digest_list list);
  bool fill(const detail::map_entries& entries, std::uint64_t attempt);

  shape shape_;
  std::uint64_t digits_;
  bits::ledger attempt_;
  bits::pair_cascade filters_;
  bits::digest_list list_;  // what they leave undecided
};

using bloomier_cascade_filter = filter<bloomier_cascade_cells>;

}  // namespace bloomery
