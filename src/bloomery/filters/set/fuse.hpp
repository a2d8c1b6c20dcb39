// The binary fuse filter: a fingerprint per key in a table built once from all keys.
//
// Purpose:   membership of a fixed set in 1.13·log2(1/rate) bits a key for many keys, where a Bloom
//            filter takes 1.44, and fast look-ups. All keys are given at once; none is added later.
// Cost:      three cache lines a query, independent of each other, absent or present alike;
//            building takes 17 bytes a key beside digests and filter.
// Guarantee: no false negatives; a rate of 2^-r for fingerprints of r bits, 1 to 32, at any number
//            of keys it can hold. Building never fails for a planned shape, whatever the keys; a
//            shape too small for them throws errc::limit.
// Citation:  Graf, Lemire 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {3, 4}, {5, 6}};
//     const auto shape = bloomery::fuse_filter::plan(keys.size(), 0.001);
//     const auto filter = bloomery::fuse_filter::build(shape, keys);
//     assert(filter.may_contain({1, 2}) && filter.may_contain({3, 4}));
//     assert(!filter.may_contain({7, 8}));
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/bits/fuse_table.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/math/cost.hpp"
#include "bloomery/math/retrieval.hpp"

namespace bloomery {

struct fuse_shape {
  std::uint64_t segments = 0;
  std::uint64_t segment_log2 = 0;
  std::uint64_t arity = 0;
  std::uint64_t fingerprint_bits = 0;

  static constexpr std::array fields{
      whole_field("segments", "that a key's first slot may lie in", &fuse_shape::segments, 1,
                  max_bits),
      whole_field("segment_log2", "log2 of the slots in a segment", &fuse_shape::segment_log2, 1,
                  fuse_table::max_segment_log2),
      whole_field("arity", "slots per key", &fuse_shape::arity, 3, 4),
      whole_field("fingerprint_bits", "r, bits in a slot: the rate is 2^-r",
                  &fuse_shape::fingerprint_bits, 1, math::max_fingerprint_bits),
  };
  void check() const;

  [[nodiscard]] fuse_layout layout() const {
    return {segments, static_cast<unsigned>(segment_log2), static_cast<unsigned>(arity),
            static_cast<unsigned>(fingerprint_bits)};
  }
};

class fuse_filter {
 public:
  using shape_type = fuse_shape;
  static constexpr kind_info kind{
      .name = "fuse",
      .title = "Binary fuse filter",
      .answers = "Is x in the set?",
      .citation = "Graf, Lemire 2022",
      .header = "bloomery/filters/set/fuse.hpp",
  };

  explicit fuse_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {});

  // buildable
  static fuse_filter build(const shape_type& shape, std::span<const digest> keys,
                           hash_identity hash = {}, promise promised = {}, unsigned threads = 1);

  // plannable
  static shape_type plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape_type& shape, std::uint64_t keys);
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys);

  // membership
  [[nodiscard]] bool may_contain(digest d) const { return table_.matches(d) && table_.keys() != 0; }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const;

  [[nodiscard]] std::uint64_t distinct_keys() const { return table_.keys(); }

  // filter_kind
  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const filter_record& record() const { return record_; }
  [[nodiscard]] fuse_filter copy() const { return {shape_, record_, table_.copy()}; }
  [[nodiscard]] std::vector<byte_view> payload() const { return {table_.bytes()}; }
  static std::uint64_t payload_bytes(const shape_type& shape);
  static fuse_filter restore(const shape_type& shape, const filter_record& record, storage stored);

 private:
  fuse_filter(const shape_type& shape, const filter_record& record, fuse_table table)
      : shape_(shape), record_(record), table_(std::move(table)) {}

  shape_type shape_;
  filter_record record_;
  fuse_table table_;
};

}  // namespace bloomery
