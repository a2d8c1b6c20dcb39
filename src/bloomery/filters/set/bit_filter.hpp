// The machinery shared by filters that set k bits per key and ask whether all k are set.
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
// keys), query_cost(shape, keys), current_rate(shape, bits), of_bits(bits, hashes), and, if it
// folds, folded(shape, factor) with fold_grain.
//
//     bloomery::standard_filter filter(bloomery::standard_filter::plan(1000, 0.01));
//     assert(filter.insert({1, 2}) && !filter.insert({1, 2}));
//     assert(filter.may_contain({1, 2}) && !filter.may_contain({3, 4}));
//     assert(filter.record().items == 2);
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/batch/probing.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery {

template <class Rule>
class bit_filter {
 public:
  using rule = Rule;
  using shape_type = typename Rule::shape;
  static constexpr kind_info kind = Rule::kind;

  explicit bit_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {})
      : bit_filter(shape, {hash, promised, 0}, bit_array(valid_bits(shape))) {}

  // Of bits that the keys on record have set elsewhere.
  bit_filter(const shape_type& shape, const filter_record& record, bit_array bits)
      : shape_(shape), record_(record), probing_(Rule::probe(shape)), bits_(std::move(bits)) {
    assert(bits_.size() == valid_bits(shape));
  }

  // Sized for `keys` distinct keys at a false-positive rate of at most `rate`.
  static bit_filter for_keys(std::uint64_t keys, double rate, hash_identity hash = {}) {
    return bit_filter(plan(keys, rate), hash, {keys, rate});
  }

  static shape_type plan(std::uint64_t keys, double rate) {
    return Rule::plan(keys, rate_to_plan(rate));
  }
  static double predicted_rate(const shape_type& shape, std::uint64_t keys) {
    return Rule::predicted_rate(shape, keys);
  }
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys) {
    return Rule::query_cost(shape, keys);
  }
  static math::bit_layout layout(const shape_type& shape) { return Rule::layout(shape); }
  static shape_type of_bits(std::uint64_t bits, std::uint64_t hashes) {
    return Rule::of_bits(bits, hashes);
  }

  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] filter_record record() const {
    filter_record now = record_;
    now.items = __atomic_load_n(&record_.items, __ATOMIC_RELAXED);
    return now;
  }
  [[nodiscard]] const bit_array& bits() const { return bits_; }

  bool insert(digest d) {
    bits_.require_writable();
    ++record_.items;
    return probing_.set(bits_, d);
  }

  std::uint64_t insert(std::span<const digest> keys) {
    bits_.require_writable();
    record_.items += keys.size();
    return probing_.set_all(bits_, keys);
  }

  std::uint64_t insert(std::span<const digest> keys, std::span<bool> fresh) {
    assert(keys.size() == fresh.size());
    bits_.require_writable();
    record_.items += keys.size();
    return probing_.set_all(bits_, keys, fresh);
  }

  std::uint64_t insert(const integer_span& keys) {
    bits_.require_writable();
    record_.items += keys.size();
    return probing_.set_all(bits_, keys);
  }

  // What inserting the keys would make, faster: by the way and the threads that suit their number.
  static bit_filter build(const shape_type& shape, std::span<const digest> keys,
                          hash_identity hash = {}, promise promised = {}, unsigned threads = 1) {
    return built(shape, keys, hash, promised, threads);
  }
  static bit_filter build(const shape_type& shape, const integer_span& keys, hash_identity hash,
                          promise promised = {}, unsigned threads = 1) {
    return built(shape, keys, hash, promised, threads);
  }

  bool insert_shared(digest d) {
    bits_.require_writable();
    __atomic_fetch_add(&record_.items, 1, __ATOMIC_RELAXED);
    return probing_.set_shared(bits_, d);
  }

  std::uint64_t insert_shared(std::span<const digest> keys) {
    bits_.require_writable();
    __atomic_fetch_add(&record_.items, keys.size(), __ATOMIC_RELAXED);
    return probing_.set_all_shared(bits_, keys);
  }

  [[nodiscard]] bool may_contain(digest d) const { return probing_.test(bits_, d); }

  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const {
    return probing_.test_all(bits_, keys, answers);
  }

  std::uint64_t may_contain(const integer_span& keys, std::span<bool> answers) const {
    return probing_.test_all(bits_, keys, answers);
  }

  void merge(const bit_filter& other) {
    require_combinable(other);
    bits_.merge(other.bits_);
    record_ = united(record(), other.record());
  }

  // Holds every key that both hold, and more false positives than a filter built from those.
  void intersect(const bit_filter& other) {
    require_combinable(other);
    bits_.intersect(other.bits_);
    record_ = intersected(record(), other.record());
  }

  // The filter of the same keys at 1/factor of the size; errc::invalid unless the factor divides
  // the shape.
  [[nodiscard]] bit_filter folded(std::uint64_t factor) const requires requires(shape_type s) {
    Rule::folded(s, factor);
  }
  {
    const shape_type smaller = Rule::folded(shape_, factor);
    require_valid(smaller);
    filter_record now = record();
    if (factor != 1) now.promised = {};
    return bit_filter(smaller, now, bits_.folded(factor, Rule::fold_grain));
  }

  [[nodiscard]] double fill() const {
    return static_cast<double>(bits_.count()) / static_cast<double>(bits_.size());
  }
  [[nodiscard]] double current_rate() const { return Rule::current_rate(shape_, bits_); }

  [[nodiscard]] math::estimate estimated_keys(double confidence = math::default_confidence) const {
    return math::estimate_keys(Rule::layout(shape_), zeros(), confidence);
  }

  [[nodiscard]] math::overlap estimated_overlap(
      const bit_filter& other, double confidence = math::default_confidence) const {
    require_combinable(other);
    const std::uint64_t zeros_of_and = bits_.size() - bits_.count_common(other.bits_);
    return math::estimate_overlap(Rule::layout(shape_), zeros(), other.zeros(),
                                  zeros() + other.zeros() - zeros_of_and, confidence);
  }

  [[nodiscard]] std::vector<byte_view> payload() const { return {bits_.bytes()}; }
  static std::uint64_t payload_bytes(const shape_type& shape) {
    return bit_array_bytes(valid_bits(shape));
  }
  static bit_filter restore(const shape_type& shape, const filter_record& record, storage stored) {
    return bit_filter(shape, record, bit_array(valid_bits(shape), std::move(stored)));
  }
  [[nodiscard]] bit_filter copy() const { return bit_filter(shape_, record(), bits_.copy()); }

 private:
  template <class Keys>
  static bit_filter built(const shape_type& shape, const Keys& keys, hash_identity hash,
                          promise promised, unsigned threads) {
    assert(threads >= 1);
    bit_filter filter(shape, hash, promised);
    filter.record_.items = keys.size();
    filter.probing_.build(filter.bits_, keys, threads);
    return filter;
  }

  static std::uint64_t valid_bits(const shape_type& shape) {
    require_valid(shape);
    return Rule::probe(shape).range();
  }

  [[nodiscard]] std::uint64_t zeros() const { return bits_.size() - bits_.count(); }

  void require_combinable(const bit_filter& other) const {
    require_same_shape(shape_, other.shape_);
    require_same_hash(record_.hash, other.record_.hash);
  }

  shape_type shape_;
  filter_record record_;
  probing<typename Rule::probes> probing_;
  bit_array bits_;
};

}  // namespace bloomery
