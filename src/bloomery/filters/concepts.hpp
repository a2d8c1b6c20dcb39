// Capabilities as concepts. A kind is a class that models `filter_kind`; each further concept it
// models switches on the tests, verbs and table columns that go with it.
//
// The syntax is checked here, the meaning by the conformance suite (tests/conformance.hpp).
//
//     static_assert(bloomery::filter_kind<bloomery::standard_filter>);
//     static_assert(bloomery::membership<bloomery::standard_filter>);
//     static_assert(!bloomery::erasable<bloomery::standard_filter>);
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery {

// Has a name, a described shape, and a stored form: `payload()` lists whole cache lines to write
// one after another, `restore` takes the same bytes back, owned or viewed, and validates them.
template <class F>
concept filter_kind = std::movable<F> &&
    requires(const F f, typename F::shape_type shape, filter_record record, storage stored) {
  { F::kind } -> std::convertible_to<kind_info>;
  F::shape_type::fields;
  F(shape, hash_identity{}, promise{});
  { f.shape() } -> std::convertible_to<typename F::shape_type>;
  { f.record() } -> std::convertible_to<filter_record>;
  { f.copy() } -> std::same_as<F>;
  { f.payload() } -> std::same_as<std::vector<byte_view>>;
  { F::payload_bytes(shape) } -> std::same_as<std::uint64_t>;
  { F::restore(shape, record, std::move(stored)) } -> std::same_as<F>;
};

// Sizes itself, predicts its rate and what a query costs. Plans aim at rate_to_plan(rate).
template <class F>
concept plannable = requires(typename F::shape_type shape, std::uint64_t keys, double rate) {
  { F::plan(keys, rate) } -> std::same_as<typename F::shape_type>;
  { F::predicted_rate(shape, keys) } -> std::same_as<double>;
  { F::query_cost(shape, keys) } -> std::same_as<math::query_cost>;
};

// Is m bits of which k are set per key, or something that predicts its fill as that does.
template <class F>
concept laid_out = requires(typename F::shape_type shape, std::uint64_t n) {
  { F::layout(shape) } -> std::same_as<math::bit_layout>;
  { F::of_bits(n, n) } -> std::same_as<typename F::shape_type>;
};

// May miss keys it was given, at a rate it predicts.
template <class F>
concept lossy = requires(typename F::shape_type shape, std::uint64_t keys) {
  { F::predicted_false_negatives(shape, keys) } -> std::same_as<double>;
};

// Takes any number of keys and keeps its rate. payload_bytes(shape) is what it starts from.
template <class F>
concept growing = requires(const F f) {
  { f.stages() } -> std::same_as<std::uint64_t>;
};

// Holds so many keys for sure; insert throws errc::limit, and changes nothing, when it finds no room.
template <class F>
concept bounded = requires(typename F::shape_type shape) {
  { F::capacity(shape) } -> std::same_as<std::uint64_t>;
};

// Remembers the latest keys and forgets older ones. A plan's `keys` are those inside the window, and
// its rate holds at every moment; predicted_rate(shape, keys) is that after `keys` distinct arrivals.
template <class F>
concept windowed = requires(const F f) {
  { f.window() } -> std::same_as<std::uint64_t>;  // arrivals, or milliseconds once it is `timed`
};

// Knows the time, in milliseconds since whenever the caller likes. advance throws errc::invalid if
// time runs backwards. The plan takes the length of a window that holds about `keys` keys.
template <class F>
concept timed = windowed<F> && requires(F f, const F c, std::uint64_t n, double rate) {
  f.advance(n);
  { c.now() } -> std::same_as<std::uint64_t>;
  { F::plan(n, rate, n) } -> std::same_as<typename F::shape_type>;
  { c.runs_on_time() } -> std::same_as<bool>;  // or on arrivals
};

// Counts how often a cell could not hold what it was given: from then on something is inexact.
template <class F>
concept overflowing = requires(const F f) {
  { f.overflows() } -> std::same_as<std::uint64_t>;
};

template <class F>
concept membership = requires(const F f, digest d, std::span<const digest> keys,
                              std::span<bool> out) {
  { f.may_contain(d) } -> std::same_as<bool>;
  { f.may_contain(keys, out) } -> std::same_as<std::uint64_t>;  // how many may be present
};

template <class F>
concept insertable = requires(F f, digest d, std::span<const digest> keys) {
  { f.insert(d) } -> std::same_as<bool>;              // was the key new to the filter?
  { f.insert(keys) } -> std::same_as<std::uint64_t>;  // how many were
};

// Also says of a batch which keys were new, to the filter and to those before them.
template <class F>
concept telling = insertable<F> &&
    requires(F f, std::span<const digest> keys, std::span<bool> fresh) {
  { f.insert(keys, fresh) } -> std::same_as<std::uint64_t>;
};

// Made whole from all its keys, on up to `threads` threads, whose number does not show in the result.
// Repeats change no answer. A kind that inserts as well builds what inserting the keys would make.
template <class F>
concept buildable = requires(typename F::shape_type shape, std::span<const digest> keys,
                             unsigned threads) {
  { F::build(shape, keys, hash_identity{}, promise{}, threads) } -> std::same_as<F>;
};

// Any number of threads may insert, and others query, at once.
template <class F>
concept concurrent = requires(F f, digest d, std::span<const digest> keys) {
  { f.insert_shared(d) } -> std::same_as<bool>;
  { f.insert_shared(keys) } -> std::same_as<std::uint64_t>;
};

template <class F>
concept mergeable = requires(F f, const F other) {
  f.merge(other);
};

template <class F>
concept intersectable = requires(F f, const F other) {
  f.intersect(other);
};

template <class F>
concept foldable = requires(const F f, std::uint64_t factor) {
  { f.folded(factor) } -> std::same_as<F>;
};

// Erasing a key that is in it, once for each time it was inserted, is legal and undoes the insertion.
// Answers whether something was removed; each kind says what erasing strangers does.
template <class F>
concept erasable = requires(F f, digest d, std::span<const digest> keys) {
  { f.erase(d) } -> std::same_as<bool>;
  { f.erase(keys) } -> std::same_as<std::uint64_t>;  // how many were
};

// Says how often a key was inserted.
template <class F>
concept multiset = requires(const F f, digest d, std::span<const digest> keys,
                            std::span<std::uint64_t> counts) {
  { f.count(d) } -> std::same_as<std::uint64_t>;
  f.count(keys, counts);
};

// And whether that is as far as it counts, so that it may have been more often.
template <class F>
concept saturable = requires(const F f, digest d) {
  { f.count_is_full(d) } -> std::same_as<bool>;
};

// Says how often each key was inserted once it is told all of them.
template <class F>
concept decodable = requires(const F f, std::span<const digest> keys) {
  { f.decode(keys) } -> std::same_as<decoded_counts>;
};

// Remembers which keys occurred most. Keys are known by their digests; whoever has the keys may label
// those that want one.
template <class F>
concept ranked = requires(F f, const F c, digest d, std::string_view name) {
  { c.top() } -> std::same_as<std::vector<ranked_key>>;  // most first
  { c.wants_label(d) } -> std::same_as<bool>;
  f.label(d, name);
};

// Can be reduced to the plain filter of the keys it holds.
template <class F>
concept reducible = requires(const F f) {
  { f.plain() } -> filter_kind;
};

// Gives keys that are asked for often better service, told which those are.
template <class F>
concept popularity_aware = requires(typename F::shape_type shape, std::span<const digest> keys,
                                    std::span<const key_weight> weights, std::uint64_t n,
                                    double rate, unsigned threads) {
  { F::plan_weighted(n, rate, weights) } -> std::same_as<typename F::shape_type>;
  { F::build(shape, keys, weights, hash_identity{}, promise{}, threads) } -> std::same_as<F>;
};

// Stores with each key a value below value_limit(shape). Built from digests alone it is a set: all
// values are 0. One key with two values throws errc::invalid where a key can have but one.
template <class F>
concept key_value = requires(const F f, digest d, std::span<const digest> keys,
                             std::span<mapped> answers, typename F::shape_type shape,
                             std::span<const keyed_value> entries, std::uint64_t n, double rate,
                             unsigned threads) {
  { f.value(d) } -> std::same_as<mapped>;
  { f.values(keys, answers) } -> std::same_as<std::uint64_t>;  // how many are not absent
  { F::value_limit(shape) } -> std::same_as<std::uint64_t>;
  { F::plan_map(n, rate, n) } -> std::same_as<typename F::shape_type>;  // keys, rate, values
  { F::build(shape, entries, hash_identity{}, promise{}, threads) } -> std::same_as<F>;
};

// Values can change. False, and nothing changed, where only members have values and this is none.
template <class F>
concept settable = key_value<F> && requires(F f, digest d, std::uint64_t value) {
  { f.set_value(d, value) } -> std::same_as<bool>;
};

// Reads keys as texts, not digests: what is in a text, or near it, matters.
template <class F>
concept text_keyed = requires(F f, const F c, std::string_view text) {
  { f.insert_text(text) } -> std::same_as<bool>;  // was it new?
  { c.may_contain_text(text) } -> std::same_as<bool>;
};

// Finds a text inside those it was given, and in which source.
template <class F>
concept searchable = text_keyed<F> &&
    requires(F f, const F c, std::string_view text, std::uint64_t source) {
  { f.insert_text(text, source) } -> std::same_as<bool>;
  { c.search(text) } -> std::same_as<std::vector<text_match>>;
};

// Says in how many of its arrays a text looks like one it was given; may_contain_text asks for enough.
template <class F>
concept similar = text_keyed<F> && requires(const F c, std::string_view text) {
  { c.nearness(text) } -> std::same_as<std::uint64_t>;
};

// Tells a neighbour what is to be had here, from what it holds and what came on the other links.
template <class F>
concept advertising = requires(const F own, std::span<const F* const> others, std::uint64_t link) {
  { F::advertisement(own, others, link) } -> std::same_as<F>;
};

// Reads keys as texts, under a secret without which it tells nothing of them. The secret is kept apart
// from the filter; loading one trusts nothing. Another than the filter's own throws errc::incompatible.
template <class F>
concept guarded = requires(F f, const F c, const typename F::secret_type secret, byte_view stored,
                           std::string_view text) {
  { F::secret_type::generate() } -> std::same_as<typename F::secret_type>;
  { F::secret_type::load(stored) } -> std::same_as<typename F::secret_type>;
  { secret.save() } -> std::convertible_to<byte_view>;
  { f.insert_text(secret, text) } -> std::same_as<bool>;  // was it new?
  { c.may_contain_text(secret, text) } -> std::same_as<bool>;
};

// Hides how many texts it holds, told how many of them differ, and takes no more.
template <class F>
concept sealable = guarded<F> && bounded<F> &&
    requires(F f, const F c, const typename F::secret_type secret, std::uint64_t distinct) {
  f.seal(secret, distinct);
  { c.sealed() } -> std::same_as<bool>;
};

// Knows its fill, its rate as it stands, and how many keys it and another hold.
template <class F>
concept measurable = requires(const F f, double confidence) {
  { f.fill() } -> std::same_as<double>;
  { f.current_rate() } -> std::same_as<double>;
  { f.estimated_keys(confidence) } -> std::same_as<math::estimate>;
  { f.estimated_overlap(f, confidence) } -> std::same_as<math::overlap>;
};

// Tells its fill and the rate of the cells as they stand.
template <class F>
concept rated = requires(const F f) {
  { f.fill() } -> std::same_as<double>;
  { f.current_rate() } -> std::same_as<double>;
};

// Forgets, when told to, what was not touched since the last time, and says how many keys that were.
template <class F>
concept aging = requires(F f) {
  { f.age() } -> std::same_as<std::uint64_t>;
};

// Lists all values that may be a key's, where there may be several.
template <class F>
concept classifying = key_value<F> && requires(const F f, digest d) {
  { f.cells().hits(d) } -> std::same_as<std::vector<std::uint64_t>>;
};

}  // namespace bloomery
