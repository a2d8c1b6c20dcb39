// The machinery shared by filters whose bits only a secret can find.
//
// Purpose:   a rule supplies shape, formulas, the type of the secret, and which bits a text has under
//            it, or by a clue that somebody with the secret gave (a page each: secure_index.hpp,
//            encrypted.hpp, oblivious.hpp); this class supplies everything else.
// Cost:      that of the rule's cryptography, which is far more than that of the bits.
// Guarantee: no false negatives under the secret that the filter was filled with. It knows that
//            secret by a fingerprint, in its record, from the first text on; any other throws
//            errc::incompatible and changes nothing.
//
// A rule has: kind, shape with `bits` and `hashes`, sized(standard_shape, keys), secret_type with
// identity(), positions_of(shape, secret, text): `hashes` uniform bits; and what is true of it of
// positions_of(shape, clue), capacity(shape) with blinding(shape, secret, count, set), and
// `combines`, if filters under one secret agree on the bits of a text.
//
//     using bloomery::encrypted_filter;
//     const auto key = encrypted_filter::secret_type::generate();
//     auto filter = encrypted_filter::for_keys(100, 0.01);
//     assert(filter.insert_text(key, "zebra") && filter.may_contain_text(key, "zebra"));
//     assert(!filter.may_contain_text(key, "qzxvj"));
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/estimate.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {

template <class Rule>
class guarded_filter {
  static constexpr bool seals = requires(typename Rule::shape s) { Rule::capacity(s); };
  static constexpr bool combines = requires { requires Rule::combines; };

 public:
  using rule = Rule;
  using shape_type = typename Rule::shape;
  using secret_type = typename Rule::secret_type;
  static constexpr kind_info kind = Rule::kind;

  explicit guarded_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {})
      : guarded_filter(shape, {hash, promised, 0}, ledger(seals ? 1 : 0),
                       bit_array(valid(shape).bits)) {}

  static guarded_filter for_keys(std::uint64_t keys, double rate) {
    return guarded_filter(plan(keys, rate), {}, {keys, rate});
  }
  static shape_type plan(std::uint64_t keys, double rate) {
    const math::standard_size size = math::plan_standard(keys, rate_to_plan(rate));
    const shape_type shape = Rule::sized({size.bits, size.hashes}, keys);
    require_valid(shape);
    return shape;
  }
  // Of what seals, the sealed filter's: it is as full as its capacity makes it.
  static double predicted_rate(const shape_type& shape, std::uint64_t keys) {
    return math::exact_rate(shape.bits, held(shape, keys), shape.hashes);
  }
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys) {
    return math::uniform_cost(shape.bits, held(shape, keys), shape.hashes);
  }
  static std::uint64_t capacity(const shape_type& shape) requires seals {
    return Rule::capacity(shape);
  }

  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const filter_record& record() const { return record_; }
  [[nodiscard]] const bit_array& bits() const { return bits_; }

  // True if it was new to the filter. errc::limit, and nothing changed, when a bounded one is full.
  bool insert_text(const secret_type& secret, std::string_view text) {
    bits_.require_writable();
    require_secret(secret);
    if constexpr (seals) require_room();
    const bool fresh = set(Rule::positions_of(shape_, secret, text));
    record_.hash = secret.identity();
    ++record_.items;
    return fresh;
  }
  [[nodiscard]] bool may_contain_text(const secret_type& secret, std::string_view text) const {
    if (record_.items == 0) return false;
    require_secret(secret);
    return contains(Rule::positions_of(shape_, secret, text));
  }
  // The same for one who has no secret, but a clue from one who has.
  template <class Clue>
  [[nodiscard]] bool may_match(const Clue& clue) const requires requires(shape_type s) {
    Rule::positions_of(s, clue);
  }
  {
    if constexpr (requires { clue.identity(); }) require_secret(clue);
    return contains(Rule::positions_of(shape_, clue));
  }

  // Hides how many words there are: as many ones, at random, as the rest of the capacity would set.
  // `distinct` of the texts inserted were different. Done once, and last.
  void seal(const secret_type& secret, std::uint64_t distinct) requires seals {
    bits_.require_writable();
    require_secret(secret);
    if (sealed()) fail(errc::limit, "the filter is sealed already");
    if (distinct > record_.items) {
      fail(errc::invalid, "distinct is " + std::to_string(distinct) + "; allowed: 0 to the " +
                              std::to_string(record_.items) + " texts inserted");
    }
    Rule::blinding(shape_, secret, Rule::capacity(shape_) - distinct,
                   [&](std::uint64_t at) { bits_.set(at); });
    numbers_.set(0, 1);
    record_.hash = secret.identity();
    record_.items = Rule::capacity(shape_);
  }
  [[nodiscard]] bool sealed() const requires seals { return numbers_.get(0) != 0; }

  void merge(const guarded_filter& other) requires combines {
    require_combinable(other);
    bits_.require_writable();
    bits_.merge(other.bits_);
    record_ = united(record_, other.record_);
  }
  [[nodiscard]] double fill() const {
    return static_cast<double>(bits_.count()) / static_cast<double>(bits_.size());
  }
  [[nodiscard]] double current_rate() const { return math::instance_rate(fill(), shape_.hashes); }
  [[nodiscard]] math::estimate estimated_keys(
      double confidence = math::default_confidence) const requires combines {
    return math::estimate_keys(layout(), zeros(), confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(
      const guarded_filter& other,
      double confidence = math::default_confidence) const requires combines {
    require_combinable(other);
    const std::uint64_t zeros_of_and = bits_.size() - bits_.count_common(other.bits_);
    return math::estimate_overlap(layout(), zeros(), other.zeros(),
                                  zeros() + other.zeros() - zeros_of_and, confidence);
  }

  [[nodiscard]] std::vector<byte_view> payload() const {
    if constexpr (seals) return {numbers_.bytes(), bits_.bytes()};
    return {bits_.bytes()};
  }
  static std::uint64_t payload_bytes(const shape_type& shape) {
    return ledger::stored_bytes(seals ? 1 : 0) + bit_array_bytes(valid(shape).bits);
  }
  static guarded_filter restore(const shape_type& shape, const filter_record& record,
                                storage stored) {
    ledger numbers(0);
    if constexpr (seals) {
      numbers = ledger(1, stored.take_stored(ledger::stored_bytes(1)));
      const std::uint64_t room = Rule::capacity(shape);
      const bool is_sealed = numbers.get(0) != 0;
      if (numbers.get(0) > 1 || (is_sealed ? record.items != room : record.items > room)) {
        fail(errc::corrupt, "the seal and the number of keys do not fit each other");
      }
    }
    return guarded_filter(shape, record, std::move(numbers),
                          bit_array(valid(shape).bits, std::move(stored)));
  }
  [[nodiscard]] guarded_filter copy() const {
    return guarded_filter(shape_, record_, numbers_.copy(), bits_.copy());
  }

 private:
  guarded_filter(const shape_type& shape, const filter_record& record, ledger numbers,
                 bit_array bits)
      : shape_(shape), record_(record), numbers_(std::move(numbers)), bits_(std::move(bits)) {}

  static const shape_type& valid(const shape_type& shape) {
    require_valid(shape);
    return shape;
  }

  static std::uint64_t held(const shape_type& shape, std::uint64_t keys) {
    if constexpr (seals) return std::max(keys, Rule::capacity(shape));
    return keys;
  }

  bool set(const positions& at) {
    bool fresh = false;
    for (const std::uint64_t i : at) fresh |= bits_.set(i);
    return fresh;
  }
  [[nodiscard]] bool contains(const positions& at) const {
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return bits_.test(i); });
  }
  [[nodiscard]] std::uint64_t zeros() const { return bits_.size() - bits_.count(); }
  [[nodiscard]] math::bit_layout layout() const {
    return math::uniform_layout(shape_.bits, shape_.hashes);
  }

  template <class Known>
  void require_secret(const Known& known) const {
    if (record_.items != 0) require_same_hash(record_.hash, known.identity());
  }
  void require_room() const {
    if (sealed()) fail(errc::limit, "the filter is sealed: it takes no more");
    if (record_.items < Rule::capacity(shape_)) return;
    fail(errc::limit, "the filter is full: it takes " + std::to_string(Rule::capacity(shape_)));
  }
  void require_combinable(const guarded_filter& other) const {
    require_same_shape(shape_, other.shape_);
    require_same_hash(record_.hash, other.record_.hash);
  }

  shape_type shape_;
  filter_record record_;
  ledger numbers_;  // whether it is sealed
  bit_array bits_;
};

}  // namespace bloomery
