// What kinds promise of keys that leave, of filters added up and of filters that are full; for those
// that promise it (not all do, so it is not in the conformance suite).
#pragma once

#include <span>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// Strangers that are certainly absent change nothing; false positives take from others.
template <class F>
void expect_strangers_erased_only_if_claimed() {
  auto filter = F::for_keys(300, 0.05);
  filter.insert(numbered_digests(4, 300));
  const auto before = wire::save(filter);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(5, 2000)) {
    const bool positive = filter.may_contain(d);
    F trial = filter.copy();
    EXPECT_EQ(trial.erase(d), positive);
    EXPECT_EQ(wire::save(trial) == before, !positive);
    claimed += std::uint64_t{positive};
  }
  EXPECT_GT(claimed, 0U);
}

// A hundred keys are in both.
template <class F>
void expect_merging_to_add() {
  auto one = F::for_keys(300, 0.01);
  auto two = F::for_keys(300, 0.01);
  auto both = F::for_keys(300, 0.01);
  one.insert(numbered_digests(6, 200));
  two.insert(numbered_digests(6, 200, 100));
  both.insert(numbered_digests(6, 200));
  both.insert(numbered_digests(6, 200, 100));
  one.merge(two);
  EXPECT_EQ(wire::save(one), wire::save(both));
}

// More keys than fit: some are refused, which changes nothing, and those that were not are found.
// Answers how many that is.
template <class F>
std::uint64_t expect_refusals_to_change_nothing(F& filter, std::span<const digest> keys) {
  std::vector<digest> held;
  std::uint64_t refused = 0;
  for (const digest d : keys) {
    const auto before = wire::save(filter);
    try {
      filter.insert(d);
      held.push_back(d);
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::limit);
      EXPECT_EQ(wire::save(filter), before);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(filter.record().items, held.size());
  for (const digest d : held) EXPECT_TRUE(filter.may_contain(d));
  return held.size();
}

}  // namespace bloomery::testing
