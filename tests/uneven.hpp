// The statistical test of maps whose rate depends on how many keys have each value.
#pragma once

#include "bloomery/filters/abilities/mapping.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// Of 200 keys 170 have the value 0, 20 the value 1 and 10 the last.
inline std::vector<keyed_value> uneven_entries(std::uint64_t stream, std::uint64_t values) {
  std::vector<keyed_value> entries;
  for (const digest d : numbered_digests(stream, 200)) {
    const std::size_t i = entries.size();
    entries.push_back({d, i < 170 ? 0 : i < 190 ? 1 : values - 1});
  }
  return entries;
}

// 200 maps planned for such entries, 10,000 strangers each: as many are found as predicted of them.
// Single maps differ in their true rates, so the spread is taken from the sample.
template <class F>
::testing::AssertionResult uneven_rate_as_planned(std::uint64_t values, double rate) {
  constexpr std::uint64_t maps = 200;
  constexpr std::uint64_t asked = 10'000;
  const auto first = uneven_entries(0, values);
  const auto shape = F::plan_entries(first, rate);
  const double predicted = F::cells_type::rate_of_loads(shape, loads_of(first));
  if (predicted > rate) return ::testing::AssertionFailure() << predicted << " is planned";
  sample rates;
  for (std::uint64_t i = 0; i < maps; ++i) {
    const F map = F::build(shape, uneven_entries(1 + i, values));
    std::uint64_t hits = 0;
    for (const digest d : numbered_digests(1 + i, asked, 200)) {
      hits += std::uint64_t{map.value(d).is != mapped::state::absent};
    }
    rates.add(static_cast<double>(hits) / static_cast<double>(asked));
  }
  return plausible_mean(rates, predicted);
}

}  // namespace bloomery::testing
