// The multi-blocked Bloom filter: a key sets a few bits in one cache line of each of some parts.
//
// Purpose:   nearly the size of a standard filter at the memory traffic of nearly a blocked one: the
//            lower the rate, the more it saves against one line.
// Cost:      one cache line an absent key and two a present one or an insertion, with two parts; some
//            5 % more bits than standard at 0.01 %, where one line takes 15 % (docs/filters/multi-blocked.md).
// Guarantee: no false negatives; the rate is exact, for any number of keys. Merges, intersects and folds.
// Citation:  Putze, Sanders, Singler 2007, blo[X]; a part for each line is ours, and makes the rate a
//            power.
//
//     auto seen = bloomery::multi_blocked_filter::for_keys(1'000'000, 0.0001);
//     const bloomery::integer_hash hash;
//     seen.insert(hash(42));
//     assert(seen.may_contain(hash(42)) && !seen.may_contain(hash(43)));
//     assert(seen.shape().parts == 2);
#pragma once

#include <array>

#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/hash/multi_blocked_probes.hpp"
#include "bloomery/math/kinds/multi_blocked.hpp"

namespace bloomery {

struct multi_blocked_shape {
  std::uint64_t blocks = 0;
  std::uint64_t parts = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("blocks", "number of 512-bit blocks in a part", &multi_blocked_shape::blocks, 1,
                  max_bits / cache_line_bits),
      whole_field("parts", "X, and lines a key is in", &multi_blocked_shape::parts, 1,
                  math::max_line_parts),
      whole_field("hashes", "bits set in each line", &multi_blocked_shape::hashes, 1,
                  hash::line_pattern::most_hashes),
  };
  void check() const { detail::require_total_bits(blocks * cache_line_bits, parts, "parts"); }
  [[nodiscard]] math::multi_blocked_size size() const { return {blocks, parts, hashes}; }
};

struct multi_blocked_rule {
  static constexpr kind_info kind{
      .name = "multi-blocked",
      .title = "Multi-blocked Bloom filter",
      .answers = "Is x in the set?",
      .citation = "Putze et al. 2007",
      .header = "bloomery/filters/set/multi_blocked.hpp",
  };
  using shape = multi_blocked_shape;
  using probes = hash::multi_blocked_probes;
  static constexpr std::uint64_t fold_grain = cache_line_bits;
  static constexpr std::uint64_t planned_parts = 2;

  static probes probe(const shape& s) { return {s.blocks, s.parts, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::multi_blocked_rate(s.size(), keys);
  }
  static double current_rate(const shape& s, const bits::bit_array& bits);
  static math::bit_layout layout(const shape& s) { return math::multi_blocked_layout(s.size()); }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::multi_blocked_cost(s.size(), keys);
  }
  // Two parts if the hashes can be halved, one otherwise.
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
    const std::uint64_t parts = hashes % planned_parts == 0 ? planned_parts : 1;
    return {detail::whole_parts(bits, cache_line_bits * parts, "bits a block of each part"), parts,
            hashes / parts};
  }
  static shape folded(const shape& s, std::uint64_t factor) {
    return {detail::fold_field(s.blocks, factor, "blocks"), s.parts, s.hashes};
  }
};

extern template class bit_cells<multi_blocked_rule>;
using multi_blocked_cells = bit_cells<multi_blocked_rule>;
using multi_blocked_filter = filter<multi_blocked_cells>;

}  // namespace bloomery
