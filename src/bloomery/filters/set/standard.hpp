// The standard Bloom filter: k bits anywhere in m.
//
// Purpose:   membership in the fewest bits of any filter that takes keys one at a time and never
//            forgets one: 1.44·log2(1/rate) bits a key.
// Cost:      k cache lines per insert and per positive query, about two per negative one.
// Guarantee: no false negatives; the expected rate is the exact one (Christensen et al.), not the
//            textbook's. Merges, intersects and folds.
// Citation:  Bloom 1970; Broder–Mitzenmacher §2; Tarkoma §II.
//
//     auto seen = bloomery::standard_filter::for_keys(1'000'000, 0.01);
//     const bloomery::xxh3_hash hash;
//     seen.insert(hash("zebra"));
//     assert(seen.may_contain(hash("zebra")));
//     assert(!seen.may_contain(hash("qzxvj")));
#pragma once

#include <array>

#include "bloomery/filters/set/bit_cells.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct standard_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &standard_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key", &standard_shape::hashes, 1, max_hashes),
  };
};

struct standard_rule {
  static constexpr kind_info kind{
      .name = "standard",
      .title = "Standard Bloom filter",
      .answers = "Is x in the set?",
      .citation = "Bloom 1970",
      .header = "bloomery/filters/set/standard.hpp",
  };
  using shape = standard_shape;
  using probes = hash::uniform_probes;
  static constexpr std::uint64_t fold_grain = 1;

  static probes probe(const shape& s) { return {s.bits, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static double current_rate(const shape& s, const bits::bit_array& bits);
  static math::bit_layout layout(const shape& s) { return math::uniform_layout(s.bits, s.hashes); }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, keys, s.hashes);
  }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) { return {bits, hashes}; }
  static shape folded(const shape& s, std::uint64_t factor) {
    return {detail::fold_field(s.bits, factor, "bits"), s.hashes};
  }
};

extern template class bit_cells<standard_rule>;
using standard_cells = bit_cells<standard_rule>;
using standard_filter = filter<standard_cells>;

// Of bits that keys have set elsewhere, as these probes do.
inline standard_filter standard_of(const hash::uniform_probes& probes, const filter_record& record,
                                   bits::bit_array bits) {
  const standard_shape shape{probes.cells, probes.count};
  return {shape, record, standard_cells(shape, std::move(bits))};
}

}  // namespace bloomery
