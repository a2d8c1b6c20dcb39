// The machinery shared by filters that set k bits per key and ask whether all k are set.
//
// Purpose:   a rule supplies shape, probe sequence and formulas (a page each: standard.hpp,
//            partitioned.hpp, blocked.hpp); this class supplies everything else.
// Cost:      one pass over the probes per key; batches prefetch once the filter outgrows the cache.
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

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/bit_array.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/math/cost.hpp"
#include "bloomery/math/estimate.hpp"

namespace bloomery {

template <class Rule>
class bit_filter {
 public:
  using rule = Rule;
  using shape_type = typename Rule::shape;
  static constexpr kind_info kind = Rule::kind;

  explicit bit_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {})
      : bit_filter(shape, {hash, promised, 0}, bit_array(valid_bits(shape))) {}

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
    return mark(d, [&](std::uint64_t i) { return bits_.set(i); });
  }

  std::uint64_t insert(std::span<const digest> keys) {
    bits_.require_writable();
    record_.items += keys.size();
    return mark_batch(keys, [&](std::uint64_t i) { return bits_.set(i); });
  }

  bool insert_shared(digest d) {
    bits_.require_writable();
    __atomic_fetch_add(&record_.items, 1, __ATOMIC_RELAXED);
    return mark(d, [&](std::uint64_t i) { return bits_.set_shared(i); });
  }

  std::uint64_t insert_shared(std::span<const digest> keys) {
    bits_.require_writable();
    __atomic_fetch_add(&record_.items, keys.size(), __ATOMIC_RELAXED);
    return mark_batch(keys, [&](std::uint64_t i) { return bits_.set_shared(i); });
  }

  [[nodiscard]] bool may_contain(digest d) const {
    return probe_.all(d, [&](std::uint64_t i) { return bits_.test(i); });
  }

  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const {
    assert(keys.size() == answers.size());
    std::uint64_t hits = 0;
    std::size_t at = 0;
    const auto answer = [&](bool present) {
      answers[at++] = present;
      hits += std::uint64_t{present};
    };
    if (fits_cache()) {
      for (const digest d : keys) answer(may_contain(d));
    } else {
      for_each_prefetched(keys, [&](std::span<const std::uint64_t> positions) {
        bool all = true;  // without a branch: the lines are here, a wrong guess costs more
        for (const std::uint64_t i : positions) all &= bits_.test(i);
        answer(all);
      });
    }
    return hits;
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
  bit_filter(const shape_type& shape, const filter_record& record, bit_array bits)
      : shape_(shape), record_(record), probe_(Rule::probe(shape)), bits_(std::move(bits)) {}

  static std::uint64_t valid_bits(const shape_type& shape) {
    require_valid(shape);
    return Rule::probe(shape).range();
  }

  // Up to this size prefetching costs more than it saves: measured where one key's lines still
  // arrive together anyway, which for a single line is far into the last-level cache.
  static constexpr std::uint64_t cached_bytes = Rule::probes::one_line ? 4 << 20 : 512 << 10;
  [[nodiscard]] bool fits_cache() const { return bits_.bytes().size() <= cached_bytes; }

  template <class Set>
  bool mark(digest d, Set set) {
    bool fresh = false;
    probe_.all(d, [&](std::uint64_t i) {
      fresh |= set(i);
      return true;
    });
    return fresh;
  }

  template <class Set>
  std::uint64_t mark_batch(std::span<const digest> keys, Set set) {
    std::uint64_t fresh_keys = 0;
    if (fits_cache()) {
      for (const digest d : keys) fresh_keys += std::uint64_t{mark(d, set)};
    } else {
      for_each_prefetched(keys, [&](std::span<const std::uint64_t> positions) {
        bool fresh = false;
        for (const std::uint64_t i : positions) fresh |= set(i);
        fresh_keys += std::uint64_t{fresh};
      });
    }
    return fresh_keys;
  }

  // Calls act(positions of one key) for each key in order, after asking for the cache lines of a
  // whole group of keys.
  template <class Act>
  void for_each_prefetched(std::span<const digest> keys, Act act) const {
    constexpr std::size_t group = 32;
    std::array<std::uint64_t, group * max_hashes> positions;
    const std::size_t per_key = probe_.count;
    while (!keys.empty()) {
      const std::span<const digest> now = keys.first(std::min(group, keys.size()));
      std::uint64_t* next = positions.data();
      for (const digest d : now) {
        if constexpr (Rule::probes::one_line) {
          std::uint64_t* const first = next;
          probe_.all(d, [&](std::uint64_t i) {
            *next++ = i;
            return true;
          });
          bits_.prefetch(*first);
        } else {
          probe_.all(d, [&](std::uint64_t i) {
            bits_.prefetch(i);
            *next++ = i;
            return true;
          });
        }
      }
      for (std::size_t i = 0; i < now.size(); ++i) {
        act(std::span<const std::uint64_t>(positions.data() + i * per_key, per_key));
      }
      keys = keys.subspan(now.size());
    }
  }

  [[nodiscard]] std::uint64_t zeros() const { return bits_.size() - bits_.count(); }

  void require_combinable(const bit_filter& other) const {
    require_same_shape(shape_, other.shape_);
    require_same_hash(record_.hash, other.record_.hash);
  }

  shape_type shape_;
  filter_record record_;
  typename Rule::probes probe_;
  bit_array bits_;
};

}  // namespace bloomery
