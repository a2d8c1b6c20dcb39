// Cells that are bits: a key sets k of them, and is there if all k are set.
//
// Purpose:   a rule supplies shape, probe sequence and formulas (a page each: standard.hpp,
//            partitioned.hpp, blocked.hpp); this class supplies everything else.
// Cost:      that of the probes (bits/batch/probing.hpp); batches prefetch.
// Guarantee: no false negatives; insertion is idempotent and order-free; merge is the filter of the
//            union and folded the filter of the smaller shape, bit for bit. insert_shared may run
//            from any number of threads beside queries; other changes need the filter to
//            themselves.
//
// A rule has: kind, shape, probe(shape), layout(shape), plan(keys, rate), predicted_rate(shape,
// keys), query_cost(shape, keys), current_rate(shape, bits), of_bits(bits, hashes), and folded(shape,
// factor) with fold_grain.
//
//     bloomery::standard_filter filter(bloomery::standard_filter::plan(1000, 0.01));
//     assert(filter.insert({1, 2}) && !filter.insert({1, 2}));
//     assert(filter.may_contain({1, 2}) && !filter.may_contain({3, 4}));
//     assert(filter.record().items == 2);
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/batch/probing.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery {

// How many keys bits of one layout and two filters hold, and share.
inline math::overlap estimated_overlap(const math::bit_layout& layout, const bits::bit_array& one,
                                       const bits::bit_array& two, double confidence) {
  const std::uint64_t zeros_of_one = one.size() - one.count();
  const std::uint64_t zeros_of_two = two.size() - two.count();
  const std::uint64_t zeros_of_and = one.size() - one.count_common(two);
  return math::estimate_overlap(layout, zeros_of_one, zeros_of_two,
                                zeros_of_one + zeros_of_two - zeros_of_and, confidence);
}

// What batches of bit filters take.
template <class Keys>
concept key_span = std::same_as<Keys, digest_span> || std::same_as<Keys, integer_span>;

template <class Rule>
class bit_cells {
 public:
  using rule = Rule;
  using shape = typename Rule::shape;
  using can = ability_list<asks, asks_in_batches, inserts, inserts_in_batches, shares, builds,
                           merges, intersects, folds, tells_rate, measures, lays_out>;
  static constexpr kind_info kind = Rule::kind;

  explicit bit_cells(const shape& s) : bit_cells(s, bits::bit_array(Rule::probe(s).range())) {}
  bit_cells(const shape& s, storage stored)
      : bit_cells(s, bits::bit_array(Rule::probe(s).range(), std::move(stored))) {}
  // Of bits that keys have set elsewhere.
  bit_cells(const shape& s, bits::bit_array bits)
      : shape_(s), probing_(Rule::probe(s)), bits_(std::move(bits)) {
    assert(bits_.size() == Rule::probe(s).range());
  }

  // What inserting the keys would make, by the way and the threads that suit their number.
  template <key_span Keys>
  static bit_cells build(const shape& s, const Keys& keys, unsigned threads) {
    bit_cells cells(s);
    cells.probing_.build(cells.bits_, keys, threads);
    return cells;
  }

  static shape plan(std::uint64_t keys, double rate) { return Rule::plan(keys, rate); }
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return Rule::predicted_rate(s, keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return Rule::query_cost(s, keys);
  }
  static math::bit_layout layout(const shape& s) { return Rule::layout(s); }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
    return Rule::of_bits(bits, hashes);
  }
  static shape folded_shape(const shape& s, std::uint64_t factor) {
    return Rule::folded(s, factor);
  }

  bool insert(digest d) { return probing_.set(bits_, d); }
  template <key_span Keys>
  std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
    items += keys.size();
    return fresh.empty() ? probing_.set_all(bits_, keys) : probing_.set_all(bits_, keys, fresh);
  }
  bool insert_shared(digest d) { return probing_.set_shared(bits_, d); }
  std::uint64_t insert_shared_batch(digest_span keys) {
    return probing_.set_all_shared(bits_, keys);
  }
  [[nodiscard]] bool contains(digest d) const { return probing_.test(bits_, d); }
  template <key_span Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    return probing_.test_all(bits_, keys, answers);
  }
  void merge(const bit_cells& other) { bits_.merge(other.bits_); }
  void intersect(const bit_cells& other) { bits_.intersect(other.bits_); }
  [[nodiscard]] bit_cells folded(const shape& smaller, std::uint64_t factor) const {
    return {smaller, bits_.folded(factor, Rule::fold_grain)};
  }

  [[nodiscard]] const bits::bit_array& bits() const { return bits_; }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const { return Rule::current_rate(shape_, bits_); }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return math::estimate_keys(layout(shape_), bits_.size() - bits_.count(), confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const bit_cells& other, double confidence) const {
    return bloomery::estimated_overlap(layout(shape_), bits_, other.bits_, confidence);
  }

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(Rule::probe(s).range());
  }

 private:
  shape shape_;
  bits::probing<typename Rule::probes> probing_;
  bits::bit_array bits_;
};

}  // namespace bloomery
