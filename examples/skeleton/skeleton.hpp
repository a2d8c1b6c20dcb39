// The one-hash filter: one bit per key. Small, complete, and here to be copied.
//
// Purpose:   shows all that a structure must have: a shape, a plan, insert and query, merge, and a
//            stored form.
// Cost:      one cache line per insert and query; about 1/rate bits a key, so far too many to use.
// Guarantee: no false negatives; merge is the filter of the union, bit for bit.
// Citation:  Broder–Mitzenmacher §2, at k = 1.
//
//     auto seen = bloomery::skeleton_filter::for_keys(1000, 0.01);
//     const bloomery::xxh3_hash hash;
//     assert(seen.insert(hash("zebra")) && seen.may_contain(hash("zebra")));
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/cost.hpp"

namespace bloomery {

struct skeleton_shape {
  std::uint64_t bits = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &skeleton_shape::bits, 1, max_bits),
  };
};

class skeleton_filter {
 public:
  using shape_type = skeleton_shape;
  static constexpr kind_info kind{
      .name = "skeleton",
      .title = "One-hash filter",
      .answers = "Is x in the set?",
      .citation = "Broder–Mitzenmacher 2004",
      .header = "skeleton.hpp",
  };

  explicit skeleton_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {});
  static skeleton_filter for_keys(std::uint64_t keys, double rate, hash_identity hash = {}) {
    return skeleton_filter(plan(keys, rate), hash, {keys, rate});
  }

  // plannable
  static shape_type plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape_type& shape, std::uint64_t keys);
  static math::query_cost query_cost(const shape_type& /*shape*/, std::uint64_t /*keys*/) {
    return math::one_line_cost;
  }

  // insertable
  bool insert(digest d);
  std::uint64_t insert(std::span<const digest> keys);

  // membership
  [[nodiscard]] bool may_contain(digest d) const { return bits_.test(position(d)); }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const;

  // mergeable
  void merge(const skeleton_filter& other);

  // filter_kind
  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const filter_record& record() const { return record_; }
  [[nodiscard]] skeleton_filter copy() const;
  [[nodiscard]] std::vector<byte_view> payload() const { return {bits_.bytes()}; }
  static std::uint64_t payload_bytes(const shape_type& shape);
  static skeleton_filter restore(const shape_type& shape, const filter_record& record,
                                 storage stored);

 private:
  skeleton_filter(const shape_type& shape, const filter_record& record, bit_array bits);

  [[nodiscard]] std::uint64_t position(digest d) const { return reduce(d.lo, shape_.bits); }

  shape_type shape_;
  filter_record record_;
  bit_array bits_;
};

}  // namespace bloomery
