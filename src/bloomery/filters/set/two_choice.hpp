// The filter of two choices: a key has several sets of k positions and takes the one that adds the
// fewest ones.
//
// Purpose:   fewer ones, and so a lower rate, from the same bits: a tenth lower at 14 bits a key, a
//            third at 32. Below about 10.5 bits a key (rates above 0.65 %) it loses to the standard
//            filter, because a query must try every set.
// Cost:      d·k positions to insert; a query tries set after set, twice the work of a standard filter
//            at d = 2.
// Guarantee: no false negatives; a key that is claimed already adds nothing. The rate
//            1-(1-fill^k)^d is predicted in the limit of many bits. Which set a key takes depends on
//            the keys before it, so order shows in the bits and two filters do not merge.
// Citation:  Lumetta, Mitzenmacher 2007; Tarkoma §II-C.
//
//     auto seen = bloomery::two_choice_filter::for_keys(1000, 0.0001);
//     assert(seen.insert({1, 2}) && !seen.insert({1, 2}));
//     assert(seen.may_contain({1, 2}) && !seen.may_contain({3, 4}));
//     assert(seen.shape().choices == 2);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct two_choice_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t choices = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &two_choice_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits of a set", &two_choice_shape::hashes, 1, max_hashes),
      whole_field("choices", "d, sets of which a key takes one", &two_choice_shape::choices, 2, 8),
  };
};

class two_choice_cells {
 public:
  using shape = two_choice_shape;
  using place = digest;
  using can = ability_list<asks, inserts, tells_rate>;
  static constexpr kind_info kind{
      .name = "two-choice",
      .title = "Bloom filter of two choices",
      .answers = "Is x in the set?",
      .citation = "Lumetta, Mitzenmacher 2007",
      .header = "bloomery/filters/set/two_choice.hpp",
      .rate_is_limit = true,
      .unmergeable =
          "each chose by its own ones: together they hold more than one filter of all "
          "keys would, and the predicted rate no longer holds",
  };

  explicit two_choice_cells(const shape& s) : shape_(s), probes_{s.bits, s.hashes}, bits_(s.bits) {}
  two_choice_cells(const shape& s, storage stored)
      : shape_(s), probes_{s.bits, s.hashes}, bits_(s.bits, std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  void prefetch(place d) const {
    const hash::uniform_probes of_all_sets{shape_.bits, shape_.choices * shape_.hashes};
    hash::each_position(of_all_sets, d, [&](std::uint64_t i) { bits_.prefetch(i); });
  }

  bool insert(place d);
  [[nodiscard]] bool contains(place d) const;
  // What this key's set would add: its positions that are still zero, each once.
  [[nodiscard]] hash::positions zeros_of(digest d, std::uint64_t set) const;

  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const;

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) { return bits::bit_array_bytes(s.bits); }

 private:
  shape shape_;
  hash::uniform_probes probes_;  // of one set
  bits::bit_array bits_;
};

using two_choice_filter = filter<two_choice_cells>;

}  // namespace bloomery
