// The coded filter bank: a filter for each bit of a code instead of each class.
//
// Purpose:   which class is x in, with ⌈log2(classes + 1)⌉ filters. A key goes into filter j if bit j of
//            its class's word is one; what comes out is the word and perhaps further ones.
// Cost:      one filter more than a standard one for each bit, each with its own k positions; a key sets
//            k bits for each one of its word: some log2(classes)/2 times a standard filter's bits.
// Guarantee: a key is never absent, and the ones of its word are always there: the value is right with
//            probability (1-f)^zeros. With `binary` words it may else be another's; with words of
//            constant weight any error shows, and the value is unknown, never wrong. Merging is the
//            union.
// Citation:  Tarkoma §III-M, where all-zero words are not set apart: classes + 1 must be told apart.
//
//     bloomery::coded_bank_filter action(bloomery::coded_bank_filter::plan_map(1000, 0.01, 200));
//     action.set_value({1, 2}, 150);
//     action.set_value({3, 4}, 7);
//     assert(action.value({1, 2}).value == 150 && action.value({3, 4}).value == 7);
//     assert(action.value({5, 6}).is == bloomery::mapped::state::absent);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/coded_bank.hpp"

namespace bloomery {

struct coded_bank_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t classes = 0;
  std::uint64_t code = 0;

  static constexpr std::array<std::string_view, 2> codes{"binary", "constant-weight"};
  static constexpr std::array fields{
      whole_field("bits", "m, of each filter", &coded_bank_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key and filter", &coded_bank_shape::hashes, 1,
                  max_hashes),
      whole_field("classes", "values a key may have", &coded_bank_shape::classes, 1,
                  math::max_classes),
      choice_field("code", "which words the classes have", &coded_bank_shape::code, codes),
  };
  void check() const { detail::require_total_bits(words().width(), bits, "bits of all filters"); }

  [[nodiscard]] math::bank_code words() const { return {classes, size().code}; }
  [[nodiscard]] std::uint64_t all_bits() const { return bits * words().width(); }
  [[nodiscard]] math::coded_size size() const {
    return {bits, hashes, classes, static_cast<math::code_kind>(code)};
  }
};

class coded_bank_cells {
 public:
  using shape = coded_bank_shape;
  using place = digest;
  using can = ability_list<asks, inserts, maps, sets_values, merges, chooses>;
  static constexpr kind_info kind{
      .name = "coded-bank",
      .title = "Coded filter bank",
      .answers = "In which class is x?",
      .citation = "Tarkoma et al. 2012",
      .header = "bloomery/filters/map/coded_bank.hpp",
      .values_may_err = true,
  };

  explicit coded_bank_cells(const shape& s)
      : probes_{s.bits, s.hashes}, code_(s.words()), bits_(s.all_bits()) {}
  coded_bank_cells(const shape& s, storage stored)
      : probes_{s.bits, s.hashes}, code_(s.words()), bits_(s.all_bits(), std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  // Of words of constant weight; plan_for takes classes and code from `wanted`.
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
    constexpr auto code = static_cast<std::uint64_t>(math::code_kind::constant_weight);
    return plan_for({.classes = values, .code = code}, keys, rate);
  }
  static shape plan_for(const shape& wanted, std::uint64_t keys, double rate);
  static shape plan_loads(const shape& wanted, load_span loads, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::coded_rate(s.size(), keys);
  }
  static double rate_of_loads(const shape& s, load_span loads) {
    return math::coded_rate(s.size(), loads);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::coded_cost(s.size(), keys);
  }
  static std::uint64_t value_limit(const shape& s) { return s.classes; }

  void prefetch(digest d) const {
    for (unsigned j = 0; j < code_.width(); ++j) {
      bits_.prefetch(j * probes_.cells + probes_.at(salted(d, j), 0));
    }
  }
  bool insert(digest d) {  // of class 0
    const bool fresh = !contains(d);
    return set_value(d, 0), fresh;
  }
  bool set_value(digest d, std::uint64_t value);
  [[nodiscard]] bool contains(digest d) const { return value(d).is != mapped::state::absent; }
  [[nodiscard]] mapped value(digest d) const;
  // Bit j: does filter j claim the key? It has the ones of the key's word, and perhaps more.
  [[nodiscard]] std::uint64_t word(digest d) const;
  void merge(const coded_bank_cells& other) { bits_.merge(other.bits_); }

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) { return bits::bit_array_bytes(s.all_bits()); }

 private:
  // Other positions in each filter: keys have several filters in common, and with one set of positions
  // those would err together.
  static digest salted(digest d, unsigned filter) {
    return {hash::mix(d.lo + filter * hash::golden), d.hi};
  }

  hash::uniform_probes probes_;
  math::bank_code code_;
  bits::bit_array bits_;  // of one filter after another
};

using coded_bank_filter = filter<coded_bank_cells>;

}  // namespace bloomery
