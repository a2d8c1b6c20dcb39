// The memory-optimised Bloom filter: of a key's k hashes a further one picks the only one to use.
//
// Purpose:   the front of a hash table. A table behind a standard filter that lists a key under all of
//            its k hashes keeps k entries a key; here the key's one bit is also its one bucket, so
//            that a table of m buckets keeps one.
// Cost:      one cache line. By itself it is a filter of one hash: 99.5 bits a key for 1 %, ten times
//            what a standard filter takes. The saving is in the table.
// Guarantee: no false negatives; one bit a key at most; the rate 1-(1-1/m)^n is exact, whatever k.
//            Merging and folding are exact, as for every bit filter.
// Citation:  Ahmadi, Wong 2008; Tarkoma §III-U.
//
//     auto seen = bloomery::memory_optimised_filter::for_keys(1000, 0.05);
//     seen.insert({1, 2});
//     assert(seen.may_contain({1, 2}) && seen.cells().bits().count() == 1);
//     const auto bucket = bloomery::memory_optimised_rule::probe(seen.shape()).at({1, 2});
//     assert(seen.cells().bits().test(bucket));
#pragma once

#include <array>

#include "bloomery/filters/set/bit_cells.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct memory_optimised_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &memory_optimised_shape::bits, 1, max_bits),
      whole_field("hashes", "k, of which a key uses one", &memory_optimised_shape::hashes, 1,
                  max_hashes),
  };
};

struct memory_optimised_rule {
  static constexpr kind_info kind{
      .name = "memory-optimised",
      .title = "Memory-optimised Bloom filter",
      .answers = "Is x in the set, and in which bucket?",
      .citation = "Ahmadi, Wong 2008",
      .header = "bloomery/filters/set/memory_optimised.hpp",
  };
  using shape = memory_optimised_shape;
  using probes = hash::chosen_probe;
  static constexpr std::uint64_t fold_grain = 1;

  static probes probe(const shape& s) { return {s.bits, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static double current_rate(const shape& /*s*/, const bits::bit_array& bits) {
    return bits.fill();
  }
  static math::bit_layout layout(const shape& s) { return math::uniform_layout(s.bits, 1); }
  static math::query_cost query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
    return math::one_line_cost;
  }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) { return {bits, hashes}; }
  static shape folded(const shape& s, std::uint64_t factor) {
    return {detail::fold_field(s.bits, factor, "bits"), s.hashes};
  }
};

extern template class bit_cells<memory_optimised_rule>;
using memory_optimised_cells = bit_cells<memory_optimised_rule>;
using memory_optimised_filter = filter<memory_optimised_cells>;

}  // namespace bloomery
