// The statistical test of a false-positive rate.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "bloomery/filters/filter.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// A filter of these keys, whichever way the kind takes them. Repeats count as items.
template <class F>
requires(able<F, inserts> || able<F, builds>) F
    filled_with(const typename F::shape_type& shape, std::span<const digest> keys,
                hash_identity hash = {}, promise promised = {}) {
  if constexpr (able<F, inserts>) {
    F filter(shape, hash, promised);
    filter.insert(keys);
    return filter;
  } else {
    return F::build(shape, keys, hash, promised, 1);
  }
}

// `filters` independent filters of n keys, `asked` absent keys each. Filters differ in their true
// rates, so the spread is taken from the sample.
template <class F>
::testing::AssertionResult rate_as_predicted(const typename F::shape_type& shape, std::uint64_t n,
                                             std::uint64_t filters, std::uint64_t asked) {
  filters *= full_factor();
  sample rates;
  for (std::uint64_t i = 0; i < filters; ++i) {
    const F filter = filled_with<F>(shape, numbered_digests(1000 + i, n));
    const auto strangers = numbered_digests(1000 + i, asked, n);
    std::uint64_t hits = 0;
    for (const digest d : strangers) hits += std::uint64_t{filter.may_contain(d)};
    rates.add(static_cast<double>(hits) / static_cast<double>(asked));
  }
  const double predicted = F::predicted_rate(shape, n);
  if (rates.mean() == 0) return plausible_count(0, filters * asked, predicted);  // without spread
  return plausible_mean(rates, predicted);
}

// The same of one map.
template <class F>
::testing::AssertionResult map_rate_as_predicted(const typename F::shape_type& shape,
                                                 std::span<const keyed_value> entries,
                                                 std::uint64_t asked) {
  const F filter = F::build(shape, entries, {}, {}, 1);
  std::uint64_t hits = 0;
  for (const digest d : numbered_digests(999, asked)) hits += std::uint64_t{filter.may_contain(d)};
  return plausible_count(hits, asked, F::predicted_rate(shape, entries.size()));
}

// The same of keys that a filter forgets: `asked` keys of each of `filters` filters, asked for when
// exactly `gap` others have come since; `before` came first.
template <class F>
::testing::AssertionResult misses_as_predicted(const typename F::shape_type& shape,
                                               std::uint64_t gap, std::uint64_t before,
                                               std::uint64_t filters, std::uint64_t asked) {
  filters *= full_factor();
  sample shares;
  for (std::uint64_t i = 0; i < filters; ++i) {
    const auto arrivals = numbered_digests(3000 + i, before + asked + gap);
    F filter = filled_with<F>(shape, std::span(arrivals).first(before + gap));
    std::uint64_t missed = 0;
    for (std::uint64_t j = 0; j < asked; ++j) {
      filter.insert(arrivals[before + gap + j]);
      missed += std::uint64_t{!filter.may_contain(arrivals[before + j])};
    }
    shares.add(static_cast<double>(missed) / static_cast<double>(asked));
  }
  return plausible_mean(shares, F::predicted_false_negatives(shape, gap));
}

inline constexpr std::uint64_t large_stream = 500;

template <class F>
F large_filter(const typename F::shape_type& shape, std::uint64_t n) {
  if constexpr (able<F, inserts>) {
    constexpr std::uint64_t batch = 4096;
    F filter(shape, {}, {});
    for (std::uint64_t first = 0; first < n; first += batch) {
      filter.insert(numbered_digests(large_stream, std::min(batch, n - first), first));
    }
    return filter;
  } else {
    return filled_with<F>(shape, numbered_digests(large_stream, n));
  }
}

// One filter stands for all from some ten million bits on: there the rates of single filters differ
// by a tenth of a percent, far less than `asked` coins do.
template <class F>
::testing::AssertionResult large_rate_as_predicted(const F& filter, std::uint64_t n,
                                                   std::uint64_t asked) {
  constexpr std::uint64_t batch = 4096;
  std::array<bool, batch> answers{};
  const auto members = numbered_digests(large_stream, batch);
  if (filter.may_contain(members, answers) != batch) {
    return ::testing::AssertionFailure() << "keys are lost";
  }
  std::uint64_t hits = 0;
  for (std::uint64_t first = 0; first < asked; first += batch) {
    const auto strangers =
        numbered_digests(large_stream, std::min(batch, asked - first), n + first);
    hits += filter.may_contain(strangers, std::span(answers).first(strangers.size()));
  }
  return plausible_count(hits, asked, F::predicted_rate(filter.shape(), n));
}

}  // namespace bloomery::testing
