// The blocked Bloom filter: a key picks one cache line of 512 bits and k bits inside it, spread over
// its eight words.
//
// Purpose:   the fastest membership filter for sets larger than the cache.
// Cost:      one cache line per insert and query; some more bits than standard, the more the lower
//            the rate (`bloomery plan` prints how many).
// Guarantee: no false negatives; sized by its own rate: exact inside the block, binomial block
//            loads. k up to 16.
// Citation:  Putze, Sanders, Singler 2007; Tarkoma §III-X.
//
//     auto seen = bloomery::blocked_filter::for_keys(1'000'000, 0.01);
//     const bloomery::integer_hash hash;
//     seen.insert(hash(42));
//     assert(seen.may_contain(hash(42)));
//     assert(!seen.may_contain(hash(43)));
#pragma once

#include <array>

#include "bloomery/bits/batch/line_probing.hpp"
#include "bloomery/filters/set/bit_cells.hpp"

namespace bloomery {

struct blocked_shape {
  std::uint64_t blocks = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("blocks", "number of 512-bit blocks", &blocked_shape::blocks, 1,
                  max_bits / cache_line_bits),
      whole_field("hashes", "k, bits set per key", &blocked_shape::hashes, 1,
                  hash::line_pattern::most_hashes),
  };
};

// The mean rate of `count` lines from number `first` on, as they stand.
double rate_of_lines(const bits::bit_array& bits, std::uint64_t first, std::uint64_t count,
                     std::uint64_t hashes);

struct blocked_rule {
  static constexpr kind_info kind{
      .name = "blocked",
      .title = "Blocked Bloom filter",
      .answers = "Is x in the set?",
      .citation = "Putze et al. 2007",
      .header = "bloomery/filters/set/blocked.hpp",
  };
  using shape = blocked_shape;
  using probes = hash::blocked_probes;
  static constexpr std::uint64_t fold_grain = cache_line_bits;

  static probes probe(const shape& s) { return {s.blocks, s.hashes}; }
  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static double current_rate(const shape& s, const bits::bit_array& bits) {
    return rate_of_lines(bits, 0, s.blocks, s.hashes);
  }
  static math::bit_layout layout(const shape& s);
  static math::query_cost query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
    return math::one_line_cost;
  }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
    return {detail::whole_parts(bits, cache_line_bits, "bits a block"), hashes};
  }
  static shape folded(const shape& s, std::uint64_t factor) {
    return {detail::fold_field(s.blocks, factor, "blocks"), s.hashes};
  }
};

extern template class bit_cells<blocked_rule>;
using blocked_cells = bit_cells<blocked_rule>;
using blocked_filter = filter<blocked_cells>;

}  // namespace bloomery
