#pragma once

#include <set>

#include "conformance/sharding.hpp"
#include "conformance/suite.hpp"

namespace bloomery::testing {

template <class F>
void expect_no_key_lost() {
  F filter = fresh<F>();
  std::set<digest> oracle;
  const auto pool = numbered_digests(2, suite_keys);
  for (std::uint64_t step = 0; step < 2 * suite_keys; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    const bool before = filter.may_contain(d);
    EXPECT_TRUE(before || !oracle.contains(d));
    const bool room = filter.record().items < room_with_copies<F>;
    if (step % 3 != 0 && room) {
      const bool fresh_key = filter.insert(d);
      EXPECT_EQ(fresh_key, !before) << "a key is new if the filter did not claim it";
      oracle.insert(d);
      EXPECT_TRUE(filter.may_contain(d));
    }
  }
  for (const digest d : oracle) EXPECT_TRUE(filter.may_contain(d));
}

// One by one, in batches, and in batches of the erased filter.
template <class F>
void expect_batches_to_answer_as_single_keys() {
  for (const std::uint64_t n : batch_test_sizes) {
    const F filter = filled_with<F>(F::plan(n, suite_rate), numbered_digests(3, 300));
    const any_filter erased(filter);
    for (const std::uint64_t size : {0U, 1U, 31U, 32U, 33U, 500U}) {
      const auto asked = numbered_digests(3, size, 250);  // present, then absent
      const flags answers(size);
      const flags same(size);
      EXPECT_EQ(filter.may_contain(asked, answers.all), hits(filter, asked));
      EXPECT_EQ(erased.as<asks>().may_contain(asked, same.all), hits(filter, asked));
      for (std::uint64_t i = 0; i < size; ++i) {
        EXPECT_EQ(answers.all[i], filter.may_contain(asked[i]));
        EXPECT_EQ(same.all[i], answers.all[i]);
      }
    }
  }
}

template <class F>
void expect_rate_as_predicted() {
  if constexpr (!F::kind.rate_is_limit) {
    EXPECT_TRUE(rate_as_predicted<F>(F::plan(20, 0.05), 20, 4000, 500));
  }
  EXPECT_TRUE(rate_as_predicted<F>(F::plan(1000, 0.01), 1000, 400, 5000));
  if constexpr (able<F, inserts> && !able<F, has_capacity>) {
    EXPECT_TRUE(rate_as_predicted<F>(F::plan(1000, 0.01), 1500, 400, 3000)) << "overfilled";
  }
  EXPECT_TRUE(rate_as_predicted<F>(F::plan(30'000, 0.001), 30'000, 40, 100'000));
}

template <>
struct conformance_of<asks> {
  template <class F>
  static void tests(const add_test& add) {
    add("a_fresh_filter_claims_nothing",
        [] { EXPECT_EQ(hits(fresh<F>(), numbered_digests(1, 1000)), 0U); });
    if constexpr (holds_keys<F>) {
      add("batches_answer_as_single_keys", expect_batches_to_answer_as_single_keys<F>);
      add("the_rate_is_as_predicted", expect_rate_as_predicted<F>);
      add("shards_keep_the_rate", expect_shards_to_keep_the_rate<F>);
    }
    if constexpr (exact_members<F> && able<F, inserts> && !able<F, forgets>) {
      add("no_key_is_lost", expect_no_key_lost<F>);
    }
  }
};

template <>
struct conformance_of<asks_in_batches> : tested_with_another {};

}  // namespace bloomery::testing
