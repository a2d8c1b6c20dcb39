// One hash: the smallest complete structure, to be copied. A key sets one bit of m.
//
// Purpose:   membership, in about 1/rate bits a key.
// Cost:      one cache line per insert and per query.
// Guarantee: no false negatives; merging two filters gives the filter of the union, bit for bit.
// Citation:  Broder–Mitzenmacher 2004, §2, at k = 1.
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {

struct skeleton_shape {
  std::uint64_t bits = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &skeleton_shape::bits, 1, max_bits),
  };
};

class skeleton_cells {
 public:
  using shape = skeleton_shape;
  using can = ability_list<asks, inserts, merges, tells_rate>;
  static constexpr kind_info kind{
      .name = "skeleton",
      .title = "One-hash filter",
      .answers = "Is x in the set?",
      .citation = "Broder, Mitzenmacher 2004",
      .header = "skeleton.hpp",
  };

  explicit skeleton_cells(const shape& s) : bits_(s.bits) {}
  skeleton_cells(const shape& s, storage stored) : bits_(s.bits, std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
    return math::one_line_cost;
  }

  using place = std::uint64_t;
  [[nodiscard]] place locate(digest d) const { return hash::reduce(d.lo, bits_.size()); }
  void prefetch(place i) const { bits_.prefetch(i); }
  bool insert(place i) { return bits_.set(i); }
  [[nodiscard]] bool contains(place i) const { return bits_.test(i); }
  void merge(const skeleton_cells& other) { bits_.merge(other.bits_); }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const { return bits_.fill(); }

  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s) { return bits::bit_array_bytes(s.bits); }

 private:
  bits::bit_array bits_;
};

using skeleton_filter = filter<skeleton_cells>;

}  // namespace bloomery
