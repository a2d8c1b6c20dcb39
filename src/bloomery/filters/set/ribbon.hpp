// The ribbon filter: a fingerprint per key in a table with hardly a bit to spare.
//
// Purpose:   membership of a fixed set in 1.02·log2(1/rate) bits a key, where a Bloom filter takes
//            1.44 and 1 is the least there is. All keys are given at once; none is added later.
// Cost:      two neighbouring blocks of 4·r bytes a query, absent or present alike; building reads
//            the keys twice and then works within the cache.
// Guarantee: no false negatives; a rate of 2^-r for fingerprints of r bits, 1 to 32. Building never
//            fails for as many distinct keys as planned, whatever the keys; more throw errc::limit
//            when they do not fit.
// Citation:  Dillinger, Hübschle-Schneider, Sanders, Walzer 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {3, 4}, {5, 6}};
//     const auto shape = bloomery::ribbon_filter::plan(keys.size(), 0.001);
//     const auto filter = bloomery::ribbon_filter::build(shape, keys);
//     assert(filter.may_contain({1, 2}) && filter.may_contain({3, 4}));
//     assert(!filter.may_contain({7, 8}));
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/bits/ribbon_table.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/math/cost.hpp"
#include "bloomery/math/retrieval.hpp"

namespace bloomery {

struct ribbon_shape {
  std::uint64_t keys = 0;
  std::uint64_t fingerprint_bits = 0;

  static constexpr std::array fields{
      whole_field("keys", "distinct keys to lay it out for", &ribbon_shape::keys, 1, max_keys),
      whole_field("fingerprint_bits", "r, bits in a row: the rate is 2^-r",
                  &ribbon_shape::fingerprint_bits, 1, math::max_fingerprint_bits),
  };
  void check() const;

  [[nodiscard]] ribbon_layout layout() const {
    return {keys, static_cast<unsigned>(fingerprint_bits)};
  }
};

class ribbon_filter {
 public:
  using shape_type = ribbon_shape;
  static constexpr kind_info kind{
      .name = "ribbon",
      .title = "Ribbon filter",
      .answers = "Is x in the set?",
      .citation = "Dillinger et al. 2022",
      .header = "bloomery/filters/set/ribbon.hpp",
  };

  explicit ribbon_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {});

  // buildable
  static ribbon_filter build(const shape_type& shape, std::span<const digest> keys,
                             hash_identity hash = {}, promise promised = {}, unsigned threads = 1);

  // plannable
  static shape_type plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape_type& shape, std::uint64_t keys);
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys);

  // membership
  [[nodiscard]] bool may_contain(digest d) const { return !table_.empty() && table_.matches(d); }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const;

  // filter_kind
  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const filter_record& record() const { return record_; }
  [[nodiscard]] ribbon_filter copy() const { return {shape_, record_, table_.copy()}; }
  [[nodiscard]] std::vector<byte_view> payload() const { return {table_.bytes()}; }
  static std::uint64_t payload_bytes(const shape_type& shape);
  static ribbon_filter restore(const shape_type& shape, const filter_record& record,
                               storage stored);

 private:
  ribbon_filter(const shape_type& shape, const filter_record& record, ribbon_table table)
      : shape_(shape), record_(record), table_(std::move(table)) {}

  shape_type shape_;
  filter_record record_;
  ribbon_table table_;
};

}  // namespace bloomery
