// The statistical test of a false-positive rate.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bloomery/filters/concepts.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// A filter of these keys, whichever way the kind takes them. Repeats count as items.
template <class F>
requires(insertable<F> || buildable<F>) F
    filled_with(const typename F::shape_type& shape, std::span<const digest> keys,
                hash_identity hash = {}, promise promised = {}) {
  if constexpr (insertable<F>) {
    F filter(shape, hash, promised);
    filter.insert(keys);
    return filter;
  } else {
    return F::build(shape, keys, hash, promised, 1);
  }
}

// `filters` independent filters of n keys, `asked` absent keys each. Filters differ in their true
// rates, so the spread is taken from the sample: a t-test, at this size a z-test.
template <class F>
::testing::AssertionResult rate_as_predicted(const typename F::shape_type& shape, std::uint64_t n,
                                             std::uint64_t filters, std::uint64_t asked) {
  filters *= full_factor();
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    const F filter = filled_with<F>(shape, numbered_digests(1000 + i, n));
    const auto strangers = numbered_digests(1000 + i, asked, n);
    std::uint64_t hits = 0;
    for (const digest d : strangers) hits += std::uint64_t{filter.may_contain(d)};
    const double rate = static_cast<double>(hits) / static_cast<double>(asked);
    sum += rate;
    squares += rate * rate;
  }
  const auto count = static_cast<double>(filters);
  const double mean = sum / count;
  const double variance = (squares - sum * mean) / (count - 1);
  return plausible_value(mean, F::predicted_rate(shape, n), std::sqrt(variance / count));
}

inline constexpr std::uint64_t large_stream = 500;

template <class F>
F large_filter(const typename F::shape_type& shape, std::uint64_t n) {
  if constexpr (insertable<F>) {
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
