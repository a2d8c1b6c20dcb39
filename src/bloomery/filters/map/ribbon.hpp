// The ribbon filter: a fingerprint per key, and a value if one is wanted, in a table with hardly a bit
// to spare.
//
// Purpose:   membership of a fixed set in 1.01·log2(1/rate) bits a key, where a Bloom filter takes
//            1.44 and 1 is the least there is. All keys are given at once; none is added later. With
//            `value_bits` it is a map, in 1.01·(log2(1/rate) + value_bits) bits a key.
// Cost:      two or three neighbouring blocks of 4·r bytes a query, absent or present alike; building
//            reads the keys twice and then works within the cache.
// Guarantee: no false negatives; a rate of 2^-r for fingerprints of r bits, 1 to 32. Building never
//            fails for as many distinct keys as planned, whatever the keys; more throw errc::limit
//            when they do not fit, a key with two values errc::invalid. Values of keys are exact.
//            Fingerprint and value have 32 bits together.
// Citation:  Dillinger, Hübschle-Schneider, Sanders, Walzer 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {3, 4}, {5, 6}};
//     const auto shape = bloomery::ribbon_filter::plan(keys.size(), 0.001);
//     const auto filter = bloomery::ribbon_filter::build(shape, keys);
//     assert(filter.may_contain({1, 2}) && filter.may_contain({3, 4}));
//     assert(!filter.may_contain({7, 8}));
#pragma once

#include <array>

#include "bloomery/bits/table/ribbon_table.hpp"
#include "bloomery/filters/map/retrieval_cells.hpp"
#include "bloomery/math/laws/fingerprints.hpp"

namespace bloomery {

struct ribbon_shape {
  std::uint64_t keys = 0;
  std::uint64_t fingerprint_bits = 0;
  std::uint64_t value_bits = 0;
  std::uint64_t equation_rows = 0;  // by number: 32, and 40

  static constexpr std::array<std::string_view, 2> row_choices{"32", "40"};
  static constexpr std::array fields{
      whole_field("keys", "distinct keys to lay it out for", &ribbon_shape::keys, 1, max_keys),
      whole_field("fingerprint_bits", "r, bits in a row: the rate is 2^-r",
                  &ribbon_shape::fingerprint_bits, 1, math::max_fingerprint_bits),
      whole_field("value_bits", "v, bits of a key's value, 32 with r; none for a set",
                  &ribbon_shape::value_bits, 0, bits::ribbon_table::max_width - 1),
      later_field(choice_field("equation_rows", "consecutive rows that a key's equation reaches",
                               &ribbon_shape::equation_rows, row_choices)),
  };
  void check() const;

  [[nodiscard]] unsigned band() const {
    return equation_rows == 0 ? math::ribbon_narrow : math::ribbon_wide;
  }
  [[nodiscard]] bits::ribbon_layout layout() const {
    return {keys, static_cast<unsigned>(fingerprint_bits + value_bits),
            static_cast<unsigned>(value_bits), band()};
  }
};

struct ribbon_rule {
  using shape = ribbon_shape;
  using table = bits::ribbon_table;
  static constexpr kind_info kind{
      .name = "ribbon",
      .title = "Ribbon filter",
      .answers = "Is x in the set, and what is its value?",
      .citation = "Dillinger et al. 2022",
      .header = "bloomery/filters/map/ribbon.hpp",
  };
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);
  static void require_record(const table& t, const filter_record& record);
};

extern template class retrieval_cells<ribbon_rule>;
using ribbon_filter = filter<retrieval_cells<ribbon_rule>>;

}  // namespace bloomery
