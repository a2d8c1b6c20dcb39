// The partitioned Bloom filter: k slices, one bit in each.
//
// Purpose:   as standard, for hardware banks, parallel probing, or when the exact rate must be a
//            one-line formula.
// Cost:      k cache lines per insert; a few more bits than standard (about 0.5 % at a hundred keys,
//            under 0.1 % from a thousand).
// Guarantee: no false negatives; at most n ones per slice; the expected rate (1-(1-1/s)^n)^k is
//            exact.
// Citation:  Mullin 1983; Tarkoma §II-C; Kirsch–Mitzenmacher 2006.
//
//     auto seen = bloomery::partitioned_filter::for_keys(1000, 0.01);
//     const bloomery::xxh3_hash hash;
//     seen.insert(hash("zebra"));
//     assert(seen.may_contain(hash("zebra")));
//     assert(seen.cells().bits().count() == seen.shape().hashes);
#pragma once

#include <array>

#include "bloomery/filters/set/bit_cells.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct partitioned_shape {
  std::uint64_t slice_bits = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("slice_bits", "size of each slice in bits", &partitioned_shape::slice_bits, 1,
                  max_bits),
      whole_field("hashes", "k, slices and bits set per key", &partitioned_shape::hashes, 1,
                  max_hashes),
  };
  void check() const { detail::require_total_bits(slice_bits, hashes, "slices"); }
};

struct partitioned_rule {
  static constexpr kind_info kind{
      .name = "partitioned",
      .title = "Partitioned Bloom filter",
      .answers = "Is x in the set?",
      .citation = "Mullin 1983",
      .header = "bloomery/filters/set/partitioned.hpp",
  };
  using shape = partitioned_shape;
  using probes = hash::partitioned_probes;
  static constexpr std::uint64_t fold_grain = 1;

  static probes probe(const shape& s) { return {s.slice_bits, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static double current_rate(const shape& s, const bits::bit_array& bits);
  static math::bit_layout layout(const shape& s) {
    return math::partitioned_layout(s.slice_bits, s.hashes);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::partitioned_cost(s.slice_bits, keys, s.hashes);
  }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
    return {detail::whole_parts(bits, hashes, "hashes"), hashes};
  }
  static shape folded(const shape& s, std::uint64_t factor) {
    return {detail::fold_field(s.slice_bits, factor, "slice_bits"), s.hashes};
  }
};

extern template class bit_cells<partitioned_rule>;
using partitioned_cells = bit_cells<partitioned_rule>;
using partitioned_filter = filter<partitioned_cells>;

}  // namespace bloomery
