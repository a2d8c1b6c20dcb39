// Deletion by a second filter: one Bloom filter of the keys inserted, one of those removed. The
// baseline that the surveys warn of.
//
// Purpose:   removal from plain bit filters, where removed keys never return and a few live ones may
//            be lost; to compare the others with.
// Cost:      the bits of two standard filters; k cache lines of the first, and for what it claims
//            about two of the second.
// Guarantee: a removed key is never claimed again: inserting it once more answers false and changes
//            nothing. A live key is missed at the false-positive rate of the second filter, new keys
//            included; predicted_false_negatives(shape, n) is that after n removals.
// Citation:  Tarkoma §II-B, Guo et al. 2010 (as what not to do).
//
//     auto known = bloomery::two_filter_filter::for_keys(1000, 0.01);
//     known.insert({1, 2});
//     assert(known.may_contain({1, 2}) && known.erase({1, 2}));
//     assert(!known.may_contain({1, 2}) && !known.insert({1, 2}) && !known.may_contain({1, 2}));
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct two_filter_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t removed_bits = 0;
  std::uint64_t removed_hashes = 0;

  static constexpr std::array fields{
      whole_field("bits", "size in bits of the filter of keys", &two_filter_shape::bits, 1,
                  max_bits / 2),
      whole_field("hashes", "bits set per key in it", &two_filter_shape::hashes, 1, max_hashes),
      whole_field("removed_bits", "size in bits of the filter of removed keys",
                  &two_filter_shape::removed_bits, 1, max_bits / 2),
      whole_field("removed_hashes", "bits set per key in that", &two_filter_shape::removed_hashes,
                  1, max_hashes),
  };
};

class two_filter_cells {
 public:
  using shape = two_filter_shape;
  struct place {
    digest key;
    hash::positions member;
  };
  using can = ability_list<asks, inserts, erases, takes_room, wears, loses>;
  static constexpr kind_info kind{
      .name = "two-filter",
      .title = "Deletion by a second filter",
      .answers = "Is x in the set, and never removed?",
      .citation = "folklore; Tarkoma et al. 2012",
      .header = "bloomery/filters/changing/two_filter.hpp",
      .false_negatives = true,
      .erased_keep_room = true,
      .unmergeable = "what one has removed the other may hold",
  };

  explicit two_filter_cells(const shape& s)
      : members_{{s.bits, s.hashes}, bits::bit_array(s.bits)},
        removed_{{s.removed_bits, s.removed_hashes}, bits::bit_array(s.removed_bits)} {}
  two_filter_cells(const shape& s, storage stored)
      : two_filter_cells(restored(s, std::move(stored))) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static double predicted_false_negatives(const shape& s, std::uint64_t removals);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  [[nodiscard]] place locate(digest d) const { return {d, hash::positions_of(members_.probes, d)}; }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at.member) members_.bits.prefetch(i);
  }

  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const;

  // As the bits tell: keys ever inserted, erased or not; and those erased, which cost live ones.
  [[nodiscard]] math::estimate taken_keys(double confidence) const {
    return members_.estimated_keys(confidence);
  }
  [[nodiscard]] math::estimate wearing_keys(double confidence) const {
    return removed_.estimated_keys(confidence);
  }

  static void each_part(auto& self, auto visit) {
    visit(self.members_.bits);
    visit(self.removed_.bits);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(s.bits) + bits::bit_array_bytes(s.removed_bits);
  }

 private:
  struct half {
    hash::uniform_probes probes;
    bits::bit_array bits;
    [[nodiscard]] math::estimate estimated_keys(double confidence) const {
      return math::estimate_keys(math::uniform_layout(probes.cells, probes.count),
                                 probes.cells - bits.count(), confidence);
    }
  };
  two_filter_cells(half members, half removed)
      : members_(std::move(members)), removed_(std::move(removed)) {}
  static two_filter_cells restored(const shape& s, storage stored);

  // The halves change places, so that the filters do not err on the same keys.
  static digest turned(digest d) { return {d.hi, d.lo}; }
  [[nodiscard]] bool was_removed(digest d) const {
    return removed_.probes.all(turned(d), [&](std::uint64_t i) { return removed_.bits.test(i); });
  }

  half members_;
  half removed_;
};

using two_filter_filter = filter<two_filter_cells>;

}  // namespace bloomery
