// Capabilities as concepts. A kind is a class that models `filter_kind`; each further concept it
// models switches on the tests, verbs and table columns that go with it.
//
// The syntax is checked here, the meaning by the conformance suite (any/conformance_test.cpp).
//
//     static_assert(bloomery::filter_kind<bloomery::standard_filter>);
//     static_assert(bloomery::membership<bloomery::standard_filter>);
//     static_assert(!bloomery::erasable<bloomery::standard_filter>);
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/storage.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/math/cost.hpp"
#include "bloomery/math/estimate.hpp"

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

// Takes any number of keys and keeps its rate.
template <class F>
concept growing = requires(const F f) {
  { f.stages() } -> std::same_as<std::uint64_t>;
};

// Remembers the latest keys and forgets older ones.
template <class F>
concept windowed = requires(const F f) {
  { f.window() } -> std::same_as<std::uint64_t>;
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

template <class F>
concept erasable = requires(F f, digest d) {
  f.erase(d);
};

template <class F>
concept multiset = requires(const F f, digest d) {
  { f.count(d) } -> std::same_as<std::uint64_t>;
};

// Gives some keys better service than others.
template <class F>
concept popularity_aware = requires {
  typename F::popularity_type;
};

// Stores a value with each key.
template <class F>
concept key_value = requires(const F f, digest d) {
  f.value(d);
};

// Knows its fill, its rate as it stands, and how many keys it and another hold.
template <class F>
concept measurable = requires(const F f, double confidence) {
  { f.fill() } -> std::same_as<double>;
  { f.current_rate() } -> std::same_as<double>;
  { f.estimated_keys(confidence) } -> std::same_as<math::estimate>;
  { f.estimated_overlap(f, confidence) } -> std::same_as<math::overlap>;
};

}  // namespace bloomery
