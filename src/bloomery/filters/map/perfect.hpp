// Perfect hashing with fingerprints: a fingerprint, and a value, in a cell of its own for each key.
//
// Purpose:   membership of a fixed set, or a map from it, in log2(1/rate) bits a key and those of the
//            values, and 2.5 for the hash: the cells themselves waste nothing.
// Cost:      two cache lines a query, the second known once the first is read; a third for a value of
//            more than 32 bits.
// Guarantee: no false negatives; a rate of 2^-r for fingerprints of r bits, at any number of keys; a
//            key's value is right, always. All keys are given at once. A key with two values throws
//            errc::invalid, more distinct keys than planned errc::limit.
// Citation:  Broder–Mitzenmacher §2.2 (the perfect hash and its fingerprints); bits/table/perfect_hash.hpp.
//
//     const std::vector<bloomery::keyed_value> ages{{{1, 2}, 30}, {{3, 4}, 41}};
//     const auto shape = bloomery::perfect_filter::plan_map(ages.size(), 0.001, 100);
//     const auto age = bloomery::perfect_filter::build(shape, ages);
//     assert(age.value({1, 2}).value == 30 && age.value({3, 4}).value == 41);
//     assert(age.value({7, 8}).is == bloomery::mapped::state::absent);
#pragma once

#include <array>
#include <optional>

#include "bloomery/bits/table/perfect_hash.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/math/laws/fingerprints.hpp"
#include "bloomery/math/laws/map_values.hpp"

namespace bloomery {

struct perfect_shape {
  std::uint64_t keys = 0;
  std::uint64_t fingerprint_bits = 0;
  std::uint64_t value_bits = 0;

  static constexpr std::array fields{
      whole_field("keys", "n, distinct ones at most", &perfect_shape::keys, 1,
                  math::max_perfect_keys),
      whole_field("fingerprint_bits", "r, of a cell: the rate is 2^-r",
                  &perfect_shape::fingerprint_bits, 1, math::max_fingerprint_bits),
      whole_field("value_bits", "of a cell; 0 for a set", &perfect_shape::value_bits, 0,
                  math::max_value_bits),
  };

  // Values of up to 32 bits lie in the cells, wider ones in an array of their own.
  static constexpr std::uint64_t widest_beside = 32;
  [[nodiscard]] std::uint64_t value_bits_beside() const {
    return value_bits <= widest_beside ? value_bits : 0;
  }
  [[nodiscard]] std::uint64_t value_bits_apart() const { return value_bits - value_bits_beside(); }
};

class perfect_cells {
 public:
  using shape = perfect_shape;
  using can = ability_list<asks, builds, maps, checks_record>;
  static constexpr kind_info kind{
      .name = "perfect",
      .title = "Perfect hash with fingerprints",
      .answers = "Is x in the set, and with which value?",
      .citation = "Broder, Mitzenmacher 2004",
      .header = "bloomery/filters/map/perfect.hpp",
      .unmergeable = "a perfect hash is of one set; build one from the keys of both",
  };
  struct place {
    std::uint64_t cell;
    std::uint64_t fingerprint;
  };

  explicit perfect_cells(const shape& s);
  perfect_cells(const shape& s, storage stored);
  static perfect_cells build(const shape& s, entry_span entries, unsigned threads);

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);
  static std::uint64_t value_limit(const shape& s) { return math::values_of_bits(s.value_bits); }

  // The hash is a product of both halves, which says nothing of one of them: all fingerprints are as
  // likely in every cell. Reads the pilot, so that a batch has many of them on their way at once.
  [[nodiscard]] place locate(digest d) const {
    return {hash_(d), hash::mix(d.lo) >> (64 - shape_.fingerprint_bits)};
  }
  void prefetch(const place& at) const { cells_.prefetch(at.cell); }
  [[nodiscard]] bool contains(const place& at) const {
    return cells_.get(at.cell) >> shape_.value_bits_beside() == at.fingerprint && hash_.keys() != 0;
  }
  [[nodiscard]] mapped value(const place& at) const {
    if (!contains(at)) return {};
    if (apart_) return {mapped::state::present, apart_->get(at.cell)};
    return {mapped::state::present, cells_.get(at.cell) & (value_limit(shape_) - 1)};
  }

  [[nodiscard]] const bits::perfect_hash& hash() const { return hash_; }
  void require_record(const filter_record& record) const;

  static void each_part(auto& self, auto visit) {
    visit(self.hash_);
    visit(self.cells_);
    if (self.apart_) visit(*self.apart_);
  }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  perfect_cells(const shape& s, bits::perfect_hash hash, bits::packed_array cells,
                std::optional<bits::packed_array> apart)
      : shape_(s), hash_(std::move(hash)), cells_(std::move(cells)), apart_(std::move(apart)) {}

  shape shape_;
  bits::perfect_hash hash_;
  bits::packed_array cells_;                 // fingerprint above value
  std::optional<bits::packed_array> apart_;  // values, if they are wide
};

using perfect_filter = filter<perfect_cells>;

}  // namespace bloomery
