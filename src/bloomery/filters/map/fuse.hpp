// The binary fuse filter: a fingerprint per key, and a value if one is wanted, in a table built once
// from all keys.
//
// Purpose:   membership of a fixed set in 1.13·log2(1/rate) bits a key for many keys, where a Bloom
//            filter takes 1.44, and fast look-ups. All keys are given at once; none is added later.
//            With `value_bits` it is a map, in 1.13·(log2(1/rate) + value_bits) bits a key.
// Cost:      three cache lines a query, independent of each other, absent or present alike;
//            building takes 17 bytes a key beside digests and filter.
// Guarantee: no false negatives; a rate of 2^-r for fingerprints of r bits, 1 to 32, at any number
//            of keys it can hold. Values of keys are exact. Building never fails for a planned
//            shape, whatever the keys; a shape too small for them throws errc::limit, a key with two
//            values errc::invalid.
// Citation:  Graf, Lemire 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {3, 4}, {5, 6}};
//     const auto shape = bloomery::fuse_filter::plan(keys.size(), 0.001);
//     const auto filter = bloomery::fuse_filter::build(shape, keys);
//     assert(filter.may_contain({1, 2}) && filter.may_contain({3, 4}));
//     assert(!filter.may_contain({7, 8}));
#pragma once

#include <array>

#include "bloomery/bits/table/fuse_table.hpp"
#include "bloomery/filters/map/retrieval_cells.hpp"
#include "bloomery/math/kinds/fuse.hpp"
#include "bloomery/math/laws/map_values.hpp"

namespace bloomery {

struct fuse_shape {
  std::uint64_t segments = 0;
  std::uint64_t segment_log2 = 0;
  std::uint64_t arity = 0;
  std::uint64_t fingerprint_bits = 0;
  std::uint64_t value_bits = 0;

  static constexpr std::array fields{
      whole_field("segments", "that a key's first slot may lie in", &fuse_shape::segments, 1,
                  max_bits),
      whole_field("segment_log2", "log2 of the slots in a segment", &fuse_shape::segment_log2, 1,
                  bits::fuse_table::max_segment_log2),
      whole_field("arity", "slots per key", &fuse_shape::arity, 3, 4),
      whole_field("fingerprint_bits", "r, bits in a slot: the rate is 2^-r",
                  &fuse_shape::fingerprint_bits, 1, math::max_fingerprint_bits),
      whole_field("value_bits", "v, bits of a key's value; none for a set", &fuse_shape::value_bits,
                  0, bits::fuse_table::max_width - 1),
  };
  void check() const;

  [[nodiscard]] bits::fuse_layout layout() const {
    return {segments, static_cast<unsigned>(segment_log2), static_cast<unsigned>(arity),
            static_cast<unsigned>(fingerprint_bits + value_bits),
            static_cast<unsigned>(value_bits)};
  }
};

struct fuse_rule {
  using shape = fuse_shape;
  using table = bits::fuse_table;
  static constexpr kind_info kind{
      .name = "fuse",
      .title = "Binary fuse filter",
      .answers = "Is x in the set, and what is its value?",
      .citation = "Graf, Lemire 2022",
      .header = "bloomery/filters/map/fuse.hpp",
  };
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);
  static void require_record(const table& t, const filter_record& record);
};

extern template class retrieval_cells<fuse_rule>;
using fuse_filter = filter<retrieval_cells<fuse_rule>>;

}  // namespace bloomery
