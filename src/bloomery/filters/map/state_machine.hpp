// The approximate concurrent state machine: the states of many flows, in a d-left table.
//
// Purpose:   a state for each of many keys that come, change and go, as connections through a router.
// Cost:      `tables` buckets, of one or two cache lines each; 25 bits a key at 1 % with ten states.
// Guarantee: while keys that are in it are updated and erased, and no others, a key's state is right,
//            or "unknown" since another key with its hash had another state: never wrong. A cell that
//            several keys share is given up only when all of them are erased, or when it ages.
//            Erasing or updating a false positive damages the key that it is mistaken for: this may
//            then be absent, or have a wrong state. `age` forgets cells that were not touched since
//            the last time. insert throws errc::limit, and changes nothing, if all buckets are full.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006; Tarkoma §IV-D.
//
//     bloomery::state_machine_filter flows(bloomery::state_machine_filter::plan_map(1000, 0.001, 5));
//     flows.insert({1, 2});  // in state 0
//     assert(flows.set_value({1, 2}, 3) && flows.value({1, 2}).value == 3);
//     assert(!flows.set_value({~std::uint64_t{0}, 8}, 3));  // not there
//     assert(flows.age() == 0 && flows.age() == 1 && !flows.may_contain({1, 2}));
#pragma once

#include <array>
#include <bit>

#include "bloomery/bits/table/dleft_table.hpp"
#include "bloomery/filters/filter.hpp"

namespace bloomery {

struct state_machine_shape {
  std::uint64_t tables = 0;
  std::uint64_t buckets = 0;
  std::uint64_t cells = 0;
  std::uint64_t remainder_bits = 0;
  std::uint64_t states = 0;
  std::uint64_t counter_bits = 0;

  static constexpr std::uint64_t max_states = 65'535;
  static constexpr std::array fields{
      whole_field("tables", "d, buckets to choose from", &state_machine_shape::tables, 2,
                  math::max_dleft_tables),
      whole_field("buckets", "in each table", &state_machine_shape::buckets, 1, max_bits),
      whole_field("cells", "in each bucket", &state_machine_shape::cells, 1, math::max_dleft_cells),
      whole_field("remainder_bits", "width of a remainder", &state_machine_shape::remainder_bits, 1,
                  math::max_remainder_bits),
      whole_field("states", "that a key may be in", &state_machine_shape::states, 1, max_states),
      whole_field("counter_bits", "width of a counter of the keys that share a cell",
                  &state_machine_shape::counter_bits, math::least_counter_bits,
                  math::most_counter_bits),
  };
  void check() const;

  // Beside a remainder: how many keys share the cell, whether it was touched, the state or that it is
  // unknown.
  [[nodiscard]] std::uint64_t tag_bits() const {
    return counter_bits + 1 + static_cast<std::uint64_t>(std::bit_width(states));
  }
  [[nodiscard]] math::dleft_size size() const {
    return {tables, buckets, cells, remainder_bits, tag_bits()};
  }
};

class state_machine_cells {
 public:
  using shape = state_machine_shape;
  using place = bits::dleft_table::place;
  using can = ability_list<asks, inserts, builds, erases, maps, sets_values, overflowing,
                           has_capacity, ages>;
  static constexpr kind_info kind{
      .name = "state-machine",
      .title = "Approximate state machine",
      .answers = "In which state is x now?",
      .citation = "Bonomi et al. 2006",
      .header = "bloomery/filters/map/state_machine.hpp",
      .fills_with_repeats = true,
      .overflow = "cells are shared by more keys than they count: they stay until they age",
      .overflow_planned = true,
      .unmergeable = "together they may hold more than one has room for",
  };

  explicit state_machine_cells(const shape& s) : shape_(s), table_(s.size()) {}
  state_machine_cells(const shape& s, storage stored);
  static state_machine_cells build(const shape& s, entry_span entries, unsigned threads);

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::dleft_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.tables * s.buckets, s.cells * (s.remainder_bits + s.tag_bits()),
                             s.tables);
  }
  static std::uint64_t capacity(const shape& s) { return math::dleft_capacity(s.size()); }
  static std::uint64_t value_limit(const shape& s) { return s.states; }

  [[nodiscard]] place locate(digest d) const { return table_.locate(d); }
  void prefetch(const place& at) const { table_.prefetch(at); }

  bool insert(const place& at) { return enter(at, 0); }
  bool set_value(const place& at, std::uint64_t value);  // of a key that is there
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const {
    return table_.search([&](const auto& in) { return table_.contains(in, at); });
  }
  [[nodiscard]] mapped value(const place& at) const;
  std::uint64_t age();
  [[nodiscard]] std::uint64_t overflows() const;

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::dleft_table::stored_bytes(s.size());
  }

 private:
  // What a tag says: from the lowest bit up, the number of keys, or that they are too many to count;
  // touched; state.
  struct flow {
    std::uint64_t keys;
    bool touched;
    std::uint64_t state;  // or unknown_state()
  };

  bool enter(const place& at, std::uint64_t state);
  [[nodiscard]] std::uint64_t unknown_state() const { return shape_.states; }
  [[nodiscard]] std::uint64_t most_keys() const {
    return (std::uint64_t{1} << shape_.counter_bits) - 1;
  }
  [[nodiscard]] flow read(std::uint64_t tag) const {
    return {tag & most_keys(), (tag >> shape_.counter_bits & 1) != 0,
            tag >> (shape_.counter_bits + 1)};
  }
  [[nodiscard]] std::uint64_t tag_of(const flow& f) const {
    return (f.state << 1 | std::uint64_t{f.touched}) << shape_.counter_bits | f.keys;
  }

  shape shape_;
  bits::dleft_table table_;
};

using state_machine_filter = filter<state_machine_cells>;

}  // namespace bloomery
