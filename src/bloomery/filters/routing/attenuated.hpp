// The attenuated Bloom filter: a level for each distance, to find the nearest copy of something.
//
// Purpose:   what lies behind a link of a network, and how many hops behind it: one filter a link. A
//            map from keys to hops, in which the lowest level that claims a key answers.
// Cost:      d levels of m bits, kept side by side, so that all levels of a position share a line: k
//            cache lines whatever d.
// Guarantee: no false negatives; the answer is never more than the true hops, and less only if a lower
//            level claims the key falsely. `advertisement` makes what to send a neighbour: own keys at
//            level 0, and level i of all other links at level i + 1. The last level falls off.
// Citation:  Rhea, Kubiatowicz 2002; Broder–Mitzenmacher §5; Tarkoma §IV-B.
//
//     const bloomery::attenuated_shape shape = bloomery::attenuated_filter::plan_map(1000, 0.01, 4);
//     bloomery::attenuated_filter far(shape), near(shape);
//     far.insert({1, 2});
//     const bloomery::attenuated_filter* behind[] = {&far};
//     const auto sent = bloomery::attenuated_filter::advertisement(near, behind, 0);
//     assert(sent.value({1, 2}).value == 1);  // one hop behind the sender
#pragma once

#include <array>

#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct attenuated_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t levels = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size of a level in bits", &attenuated_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key", &attenuated_shape::hashes, 1, max_hashes),
      whole_field("levels", "d, distances told apart", &attenuated_shape::levels, 1, 64),
  };
  void check() const { detail::require_total_bits(bits, levels, "levels"); }
};

class attenuated_cells {
 public:
  using shape = attenuated_shape;
  using place = hash::positions;
  using can = ability_list<asks, inserts, maps, sets_values, merges, advertises>;
  static constexpr kind_info kind{
      .name = "attenuated",
      .title = "Attenuated Bloom filter",
      .answers = "How many hops away is the nearest x?",
      .citation = "Rhea, Kubiatowicz 2002",
      .header = "bloomery/filters/routing/attenuated.hpp",
      .by_name_only = "is a routing table",
      .values_may_err = true,
  };

  explicit attenuated_cells(const shape& s);
  attenuated_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  // Keys at every distance alike.
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static shape plan_loads(const shape& wanted, load_span loads, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static double rate_of_loads(const shape& s, load_span loads);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, keys, s.hashes, s.levels);
  }
  static std::uint64_t value_limit(const shape& s) { return s.levels; }

  // The same at every level: levels move up when they are passed on.
  [[nodiscard]] place locate(digest d) const { return hash::positions_of(probes_, d); }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) cells_.prefetch(i);
  }

  bool insert(const place& at);
  bool set_value(const place& at, std::uint64_t hops);
  [[nodiscard]] mapped value(const place& at) const;
  [[nodiscard]] bool contains(const place& at) const {
    return value(at).is == mapped::state::present;
  }
  void merge(const attenuated_cells& other);
  static attenuated_cells advertisement(const attenuated_cells& own,
                                        std::span<const attenuated_cells* const> others,
                                        std::uint64_t link);

  [[nodiscard]] double fill(std::uint64_t level) const;

  static void each_part(auto& self, auto visit) { visit(self.cells_); }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  attenuated_cells(const hash::uniform_probes& probes, bits::packed_array cells)
      : probes_(probes), cells_(std::move(cells)) {}

  hash::uniform_probes probes_;
  bits::packed_array cells_;  // a cell holds one position's bit of every level
};

using attenuated_filter = filter<attenuated_cells>;

}  // namespace bloomery
