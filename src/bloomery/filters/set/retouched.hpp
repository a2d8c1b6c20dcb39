// The retouched Bloom filter: bits are cleared so that keys known to be wrongly claimed no longer are.
//
// Purpose:   buy off the false positives that hurt most, paying with a few members. Bits are cleared
//            at random, or one bit of each unwanted key, chosen at random, by the members it bears
//            (fewest), by the unwanted keys it bears (most), or by the ratio of the two.
// Cost:      that of a standard filter; retouching takes some 40 bytes for each bit of an unwanted key
//            that is claimed, and 24 for each time that a member lies there.
// Guarantee: none of the unwanted keys is claimed afterwards. False negatives: members that had a
//            cleared bit; the report says how many, exactly if the members are given. Until bits are
//            cleared it is the standard filter. The outcome depends on neither order nor repeats.
// Citation:  Donnet, Baynat, Friedman 2006; Tarkoma §III-Q.
//
//     auto filter = bloomery::retouched_filter::for_keys(1000, 0.01);
//     const std::vector<bloomery::digest> members{{1, 2}, {3, 4}};
//     filter.insert(members);
//     const std::vector<bloomery::digest> unwanted{{3, 4}};  // here, for once, a member
//     const auto report = bloomery::retouch(filter, unwanted,
//                                           bloomery::retouch_method::fewest_members, {members});
//     assert(!filter.may_contain({3, 4}) && filter.may_contain({1, 2}));
//     assert(report.removed == 1 && report.cleared == 1 && report.lost == 1);
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/positions.hpp"

namespace bloomery {

class retouched_cells {
 public:
  using shape = standard_shape;
  using place = hash::positions;
  using can = ability_list<asks, inserts, merges, tells_rate, overflowing, loses>;
  static constexpr kind_info kind{
      .name = "retouched",
      .title = "Retouched Bloom filter",
      .answers = "Is x in the set, and none of the keys I do not want?",
      .citation = "Donnet et al. 2006",
      .header = "bloomery/filters/set/retouched.hpp",
      .by_name_only = "is made by retouching another filter",
      .false_negatives = true,
      .overflow = "bits were cleared: keys inserted before that had one of them are missed",
      .overflow_planned = true,
  };

  explicit retouched_cells(const shape& s) : retouched_cells(s, bits::bit_array(s.bits)) {}
  retouched_cells(const shape& s, bits::bit_array bits)
      : probes_{s.bits, s.hashes}, counts_(1), bits_(std::move(bits)) {}
  retouched_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate) { return standard_rule::plan(keys, rate); }
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return standard_rule::predicted_rate(s, keys);
  }
  // Before bits are cleared; after, 1-(1-s/(ρm))^k: math/kinds/retouched.hpp.
  static double predicted_false_negatives(const shape& /*s*/, std::uint64_t /*keys*/) { return 0; }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return standard_rule::query_cost(s, keys);
  }

  [[nodiscard]] place locate(digest d) const { return hash::positions_of(probes_, d); }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) bits_.prefetch(i);
  }
  bool insert(const place& at);
  [[nodiscard]] bool contains(const place& at) const {
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return bits_.test(i); });
  }
  bool clear(std::uint64_t i);
  // Claims whatever either claims: a key that was retouched away in one may return.
  void merge(const retouched_cells& other);

  [[nodiscard]] const bits::bit_array& bits() const { return bits_; }
  [[nodiscard]] const hash::uniform_probes& probes() const { return probes_; }
  [[nodiscard]] std::uint64_t overflows() const { return counts_.get(0); }  // bits cleared
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const;

  static void each_part(auto& self, auto visit) {
    visit(self.counts_);
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(1) + bits::bit_array_bytes(s.bits);
  }

 private:
  void note_cleared(std::uint64_t more) { counts_.set(0, std::min(overflows() + more, max_items)); }

  hash::uniform_probes probes_;
  bits::ledger counts_;
  bits::bit_array bits_;
};

using retouched_filter = filter<retouched_cells>;

// A copy that can be retouched.
retouched_filter retouched(const standard_filter& filter);

}  // namespace bloomery
