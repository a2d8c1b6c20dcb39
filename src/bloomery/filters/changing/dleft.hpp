// The d-left counting filter: remainders with small counters, in the least loaded of d buckets.
//
// Purpose:   what the counting filter does, in about half of its bits.
// Cost:      `tables` buckets, of one or two cache lines each, to ask, insert or erase; 20 bits a key
//            at 1 %, 24 at 0.1 %.
// Guarantee: no false negatives while only keys that are in it are erased; count() is never too low.
//            A counter that reached its maximum stays there, for ever (`overflows` says how many);
//            plans keep their rate through ten thousand replacements of all keys.
//            insert throws errc::limit, and changes nothing, if all of a key's buckets are full;
//            below `capacity` distinct keys that is not to be expected in a million tables. Erasing
//            a key that is certainly absent changes nothing and answers false; erasing a false
//            positive damages another key.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006; Tarkoma §III-B.
//
//     auto open_files = bloomery::dleft_filter::for_keys(1000, 0.01);
//     open_files.insert({1, 2});
//     open_files.insert({1, 2});
//     assert(open_files.count({1, 2}) == 2 && open_files.erase({1, 2}));
//     assert(open_files.may_contain({1, 2}) && open_files.erase({1, 2}));
//     assert(!open_files.may_contain({1, 2}) && open_files.overflows() == 0);
#pragma once

#include <array>

#include "bloomery/bits/table/dleft_table.hpp"
#include "bloomery/filters/filter.hpp"

namespace bloomery {

struct dleft_shape {
  std::uint64_t tables = 0;
  std::uint64_t buckets = 0;
  std::uint64_t cells = 0;
  std::uint64_t remainder_bits = 0;
  std::uint64_t counter_bits = 0;

  static constexpr std::array fields{
      whole_field("tables", "d, buckets to choose from", &dleft_shape::tables, 2,
                  math::max_dleft_tables),
      whole_field("buckets", "in each table", &dleft_shape::buckets, 1, max_bits),
      whole_field("cells", "in each bucket", &dleft_shape::cells, 1, math::max_dleft_cells),
      whole_field("remainder_bits", "width of a remainder", &dleft_shape::remainder_bits, 1,
                  math::max_remainder_bits),
      whole_field("counter_bits", "width of a counter", &dleft_shape::counter_bits,
                  math::least_counter_bits, math::most_counter_bits),
  };
  void check() const;

  [[nodiscard]] math::dleft_size size() const {
    return {tables, buckets, cells, remainder_bits, counter_bits};
  }
};

class dleft_cells {
 public:
  using shape = dleft_shape;
  using place = bits::dleft_table::place;
  using can = ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases,
                           erases_in_batches, counts, saturates, overflowing, has_capacity>;
  static constexpr kind_info kind{
      .name = "dleft",
      .title = "d-left counting filter",
      .answers = "Is x in the set now, and how often?",
      .citation = "Bonomi et al. 2006",
      .header = "bloomery/filters/changing/dleft.hpp",
      .fills_with_repeats = true,
      .overflow = counting_overflow,
      .overflow_planned = true,
      .unmergeable = "together they may hold more than one has room for",
  };
  explicit dleft_cells(const shape& s) : shape_(s), table_(s.size()) {}
  dleft_cells(const shape& s, storage stored) : shape_(s), table_(s.size(), std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::dleft_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.tables * s.buckets, s.cells * (s.remainder_bits + s.counter_bits),
                             s.tables);
  }
  static std::uint64_t capacity(const shape& s) { return math::dleft_capacity(s.size()); }

  [[nodiscard]] place locate(digest d) const { return table_.locate(d); }
  void prefetch(const place& at) const { table_.prefetch(at); }

  template <class Act>
  auto search(Act act) const {
    return table_.search(act);
  }
  bool insert_by(const auto& in, const place& at) {
    return table_.insert(in, at, 1, [&](std::uint64_t cell) {
      const std::uint64_t counter = table_.tag(cell);
      if (counter != max_count()) table_.set_tag(cell, counter + 1);
    });
  }
  bool erase_by(const auto& in, const place& at) {
    bool stuck = false;
    const bool found = table_.erase(in, at, [&](std::uint64_t cell) {
      const std::uint64_t counter = table_.tag(cell);
      stuck = counter == max_count();  // it has lost count
      if (counter > 1 && !stuck) table_.set_tag(cell, counter - 1);
      return counter > 1;
    });
    return found && !stuck;
  }
  [[nodiscard]] bool contains_by(const auto& in, const place& at) const {
    return table_.contains(in, at);
  }
  bool insert(const place& at) {
    return search([&](const auto& in) { return insert_by(in, at); });
  }
  bool erase(const place& at) {
    return search([&](const auto& in) { return erase_by(in, at); });
  }
  [[nodiscard]] bool contains(const place& at) const {
    return search([&](const auto& in) { return contains_by(in, at); });
  }
  // By vectors where there are any.
  std::uint64_t contains_batch(const digest_span& keys, std::span<bool> answers) const;
  std::uint64_t contains_batch(const integer_span& keys, std::span<bool> answers) const;
  std::uint64_t insert_batch(digest_span keys, std::span<bool> fresh, std::uint64_t& items);
  std::uint64_t erase_batch(digest_span keys);
  [[nodiscard]] std::uint64_t count(const place& at) const;
  [[nodiscard]] bool count_is_full(const place& at) const { return count(at) == max_count(); }

  [[nodiscard]] std::uint64_t overflows() const;
  [[nodiscard]] std::vector<std::uint64_t> loads() const { return table_.loads(); }

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::dleft_table::stored_bytes(s.size());
  }

 private:
  [[nodiscard]] std::uint64_t max_count() const {
    return (std::uint64_t{1} << shape_.counter_bits) - 1;
  }

  shape shape_;
  bits::dleft_table table_;  // with counters as tags
};

using dleft_filter = filter<dleft_cells>;

}  // namespace bloomery
