// The banked Bloom filter: k bits in k banks in a row, on a ring of banks, from a random one on.
//
// Purpose:   membership where memory comes in B banks that each answer one probe at a time: the k
//            probes of a key never wait for each other, and with B above k several keys are served at
//            once.
// Cost:      k cache lines per insert and per "yes", about two per "no"; bits as a partitioned filter,
//            a few more for small ones.
// Guarantee: no false negatives; a key's bits lie in k different banks; at B = k it has the rate of
//            the partitioned filter. Merging and folding are exact, as for every bit filter.
// Citation:  Tarkoma §IV-F; the rate for B above k is derived in math/kinds/banked.hpp.
//
//     auto seen = bloomery::banked_filter::for_keys(1000, 0.01);
//     seen.insert({1, 2});
//     assert(seen.may_contain({1, 2}) && seen.shape().banks == 8);
//     assert(seen.cells().bits().count() == seen.shape().hashes);
#pragma once

#include <array>

#include "bloomery/filters/set/bit_cells.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/banked.hpp"

namespace bloomery {

struct banked_shape {
  std::uint64_t bank_bits = 0;
  std::uint64_t banks = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("bank_bits", "size of each bank in bits", &banked_shape::bank_bits, 1, max_bits),
      whole_field("banks", "B, how many", &banked_shape::banks, 1, math::max_banks),
      whole_field("hashes", "k, bits set per key, each in a bank of its own", &banked_shape::hashes,
                  1, max_hashes),
  };
  [[nodiscard]] math::banked_size size() const { return {bank_bits, banks, hashes}; }
  void check() const;
};

struct banked_rule {
  static constexpr kind_info kind{
      .name = "banked",
      .title = "Banked Bloom filter",
      .answers = "Is x in the set?",
      .citation = "Tarkoma et al. 2012",
      .header = "bloomery/filters/set/banked.hpp",
      .by_name_only = "is for memory in banks that are read side by side",
  };
  using shape = banked_shape;
  using probes = hash::banked_probes;
  static constexpr std::uint64_t fold_grain = 1;

  static probes probe(const shape& s) { return {s.bank_bits, s.banks, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::banked_rate(s.size(), keys);
  }
  static double current_rate(const shape& s, const bits::bit_array& bits);
  static math::bit_layout layout(const shape& s) { return math::banked_layout(s.size()); }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::banked_cost(s.size(), keys);
  }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes);
  static shape folded(const shape& s, std::uint64_t factor) {
    return {detail::fold_field(s.bank_bits, factor, "bank_bits"), s.banks, s.hashes};
  }
};

extern template class bit_cells<banked_rule>;
using banked_cells = bit_cells<banked_rule>;
using banked_filter = filter<banked_cells>;

}  // namespace bloomery
