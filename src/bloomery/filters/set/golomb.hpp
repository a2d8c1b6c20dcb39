// The Golomb-coded set: sorted hashes, written as the gaps between them.
//
// Purpose:   a fixed set in few bits to send or keep: log2(1/rate) + 1.5 a key and half a bit for the
//            index, where a standard filter takes 1.44·log2(1/rate).
// Cost:      a query reads an index entry and decodes half a section, some 32 codes: 150 ns.
// Guarantee: no false negatives; the rate is exact. Building fails for a planned shape but once in
//            1e9 sets; keys for whose codes there is no room throw errc::limit. No code is longer than
//            88 bits, and no padding is ever read as a gap.
// Citation:  Golomb 1966; Putze, Sanders, Singler 2007; BIP 158.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {3, 4}, {5, 6}};
//     const auto shape = bloomery::golomb_filter::plan(keys.size(), 0.001);
//     const auto filter = bloomery::golomb_filter::build(shape, keys);
//     assert(filter.may_contain({1, 2}) && filter.may_contain({3, 4}));
//     assert(filter.cells().coded_bits() <= filter.shape().code_bits);
#pragma once

#include <array>

#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/bits/code/rice_code.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {

struct golomb_shape {
  std::uint64_t sections = 0;
  std::uint64_t width = 0;
  std::uint64_t rice_bits = 0;
  std::uint64_t code_bits = 0;

  static constexpr std::array fields{
      whole_field("sections", "of the hashes, each with an index entry", &golomb_shape::sections, 1,
                  max_bits / 64),
      whole_field("width", "values a key may have in its section", &golomb_shape::width, 1,
                  math::max_golomb_width),
      whole_field("rice_bits", "of a gap that are not written in unary", &golomb_shape::rice_bits,
                  0, math::max_rice_bits),
      whole_field("code_bits", "room for the codes of all gaps", &golomb_shape::code_bits, 1,
                  max_bits),
  };

  [[nodiscard]] math::golomb_size size() const { return {sections, width, rice_bits, code_bits}; }
};

class golomb_cells {
 public:
  using shape = golomb_shape;
  using can = ability_list<asks, builds, checks_record>;
  static constexpr kind_info kind{
      .name = "golomb",
      .title = "Golomb-coded set",
      .answers = "Is x in the set?",
      .citation = "Putze et al. 2007",
      .header = "bloomery/filters/set/golomb.hpp",
      .unmergeable = "the codes of both may not fit; build one from the keys of both",
  };
  struct place {
    std::uint64_t section;
    std::uint64_t value;
  };

  explicit golomb_cells(const shape& s);
  golomb_cells(const shape& s, storage stored);
  static golomb_cells build(const shape& s, std::span<const digest> keys, unsigned threads);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::golomb_cost(s.size(), keys);
  }

  // From either half, so that all 128 bits decide.
  [[nodiscard]] place locate(digest d) const {
    return {hash::reduce(d.lo, shape_.sections), hash::reduce(d.hi, shape_.width)};
  }
  void prefetch(const place& at) const { ends_.prefetch(at.section); }
  [[nodiscard]] bool contains(const place& at) const;

  [[nodiscard]] std::uint64_t distinct_values() const { return values_; }
  [[nodiscard]] std::uint64_t coded_bits() const { return ends_.get(shape_.sections); }
  void require_record(const filter_record& record) const;

  static void each_part(auto& self, auto visit) {
    visit(self.ends_);
    visit(self.codes_);
  }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  void write(std::span<std::uint64_t> values, std::span<const std::uint64_t> starts);
  std::uint64_t check_section(std::uint64_t section) const;  // how many values it has

  shape shape_;
  bits::rice_code code_;
  bits::packed_array ends_;  // where the codes of the sections end, in bits, and before the first
  storage codes_;
  std::uint64_t values_ = 0;
};

using golomb_filter = filter<golomb_cells>;

}  // namespace bloomery
