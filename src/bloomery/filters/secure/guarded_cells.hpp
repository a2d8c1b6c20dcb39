// Cells whose bits only a secret can find.
//
// Purpose:   a rule supplies shape, formulas, the type of the secret, and which bits a text has under
//            it, or by a clue that somebody with the secret gave (a page each: secure_index.hpp,
//            encrypted.hpp, oblivious.hpp); this class supplies everything else.
// Cost:      that of the rule's cryptography, which is far more than that of the bits.
// Guarantee: no false negatives under the secret that the filter was filled with.
//
// A rule has: kind, can, shape with `bits` and `hashes`, sized(standard_shape, keys, secret),
// secret_type with identity(), positions_of(shape, secret, text): `hashes` uniform bits; and what is
// true of it of positions_of(shape, clue), and capacity(shape) with blinding(shape, secret, count, set).
//
//     using bloomery::encrypted_filter;
//     const auto key = encrypted_filter::secret_type::generate();
//     auto filter = encrypted_filter::for_keys(100, 0.01);
//     assert(filter.insert_text(key, "zebra") && filter.may_contain_text(key, "zebra"));
//     assert(!filter.may_contain_text(key, "qzxvj"));
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {

template <class Rule, class Clue>
concept places_clue = requires(typename Rule::shape shape, const Clue& clue) {
  Rule::positions_of(shape, clue);
};

template <class Rule>
class guarded_cells {
  static constexpr bool seals = requires(typename Rule::shape s) { Rule::capacity(s); };

 public:
  using rule = Rule;
  using shape = typename Rule::shape;
  using secret_type = typename Rule::secret_type;
  using can = typename Rule::can;
  static constexpr kind_info kind = Rule::kind;

  explicit guarded_cells(const shape& s) : shape_(s), numbers_(seals ? 1 : 0), bits_(s.bits) {}
  guarded_cells(const shape& s, storage stored)
      : shape_(s),
        numbers_(seals ? bits::ledger(1, stored.take_stored(bits::ledger::stored_bytes(1)))
                       : bits::ledger(0)),
        bits_(s.bits, std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate) { return planned(keys, rate, nullptr); }
  static shape plan_guarded(std::uint64_t keys, double rate, const secret_type& secret) {
    return planned(keys, rate, &secret);
  }
  // Of what seals, the sealed filter's: it is as full as its capacity makes it.
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::exact_rate(s.bits, held(s, keys), s.hashes);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, held(s, keys), s.hashes);
  }
  static std::uint64_t capacity(const shape& s) requires seals { return Rule::capacity(s); }
  static std::uint64_t most_texts(std::uint64_t bytes) requires seals {
    return Rule::most_texts(bytes);
  }

  bool insert(const secret_type& secret, std::string_view text) {
    bool fresh = false;
    for (const std::uint64_t i : Rule::positions_of(shape_, secret, text)) fresh |= bits_.set(i);
    return fresh;
  }
  [[nodiscard]] bool contains(const secret_type& secret, std::string_view text) const {
    return all_set(Rule::positions_of(shape_, secret, text));
  }
  template <class Clue>
  [[nodiscard]] bool contains(const Clue& clue) const requires places_clue<Rule, Clue> {
    return all_set(Rule::positions_of(shape_, clue));
  }

  // Sets as many bits, at random, as the rest of the capacity would.
  void seal(const secret_type& secret, std::uint64_t distinct) requires seals {
    Rule::blinding(shape_, secret, Rule::capacity(shape_) - distinct,
                   [&](std::uint64_t at) { bits_.set(at); });
    numbers_.set(0, 1);
  }
  [[nodiscard]] bool sealed() const requires seals { return numbers_.get(0) != 0; }
  void require_room(std::uint64_t items) const requires seals {
    if (sealed()) fail(errc::limit, "the filter is sealed: it takes no more");
    if (items < Rule::capacity(shape_)) return;
    fail(errc::limit, "the filter is full: it takes " + std::to_string(Rule::capacity(shape_)));
  }
  void require_record(const filter_record& record) const requires seals {
    const std::uint64_t room = Rule::capacity(shape_);
    if (numbers_.get(0) > 1 || (sealed() ? record.items != room : record.items > room)) {
      fail(errc::corrupt, "the seal and the number of keys do not fit each other");
    }
  }

  void merge(const guarded_cells& other) requires lists<merges, can> { bits_.merge(other.bits_); }
  [[nodiscard]] const bits::bit_array& bits() const { return bits_; }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const { return math::instance_rate(fill(), shape_.hashes); }
  [[nodiscard]] math::estimate estimated_keys(
      double confidence) const requires lists<measures, can> {
    return math::estimate_keys(layout(), bits_.size() - bits_.count(), confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(
      const guarded_cells& other, double confidence) const requires lists<measures, can> {
    return bloomery::estimated_overlap(layout(), bits_, other.bits_, confidence);
  }

  static void each_part(auto& self, auto visit) {
    if constexpr (seals) visit(self.numbers_);
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(seals ? 1 : 0) + bits::bit_array_bytes(s.bits);
  }

 private:
  static shape planned(std::uint64_t keys, double rate, const secret_type* secret) {
    const math::standard_size size = math::plan_standard(keys, rate);
    const shape s = Rule::sized({size.bits, size.hashes}, keys, secret);
    require_valid(s);
    return s;
  }
  static std::uint64_t held(const shape& s, std::uint64_t keys) {
    if constexpr (seals) return std::max(keys, Rule::capacity(s));
    return keys;
  }
  [[nodiscard]] bool all_set(const hash::positions& at) const {
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return bits_.test(i); });
  }
  [[nodiscard]] math::bit_layout layout() const {
    return math::uniform_layout(shape_.bits, shape_.hashes);
  }

  shape shape_;
  bits::ledger numbers_;  // whether it is sealed
  bits::bit_array bits_;
};

}  // namespace bloomery
