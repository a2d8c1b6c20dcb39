// The statistical test of a false-positive rate.
#pragma once

#include <cmath>

#include "testing.hpp"

namespace bloomery::testing {

// `filters` independent filters of n keys, `asked` absent keys each. Filters differ in their true
// rates, so the spread is taken from the sample: a t-test, at this size a z-test.
template <class F>
::testing::AssertionResult rate_as_predicted(const typename F::shape_type& shape, std::uint64_t n,
                                             std::uint64_t filters, std::uint64_t asked) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    F filter(shape, {}, {});
    filter.insert(numbered_digests(1000 + i, n));
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

}  // namespace bloomery::testing
