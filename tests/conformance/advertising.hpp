#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

template <class F>
void expect_neighbours_told() {
  // A routing table of values has a level for what lies behind.
  const auto shape = [] {
    if constexpr (able<F, maps>) {
      return F::plan_map(suite_keys, suite_rate, 4);
    } else {
      return F::plan(suite_keys, suite_rate);
    }
  }();
  F own(shape);
  F behind(shape);
  own.insert(numbered_digests(40, 100));
  behind.insert(numbered_digests(41, 100));
  const std::vector<const F*> others{&behind};
  const F told = F::advertisement(own, others, 1);
  EXPECT_EQ(told.record().items, 200U);
  EXPECT_EQ(told.record().promised, promise{});
  EXPECT_GT(hits(told, numbered_digests(40, 100)), 0U);
  const any_filter erased_own(own);
  const any_filter erased_behind(behind);
  const std::vector<const any_filter*> erased_others{&erased_behind};
  EXPECT_TRUE(same_bytes(erased_own.as<advertises>().advertisement(erased_others, 1), told));
  const F reseeded(shape, {hash_id::xxh3, 1});
  const std::vector<const F*> strangers{&reseeded};
  EXPECT_TRUE(throws_error(errc::incompatible, "seed differs",
                           [&] { (void)F::advertisement(own, strangers, 1); }));
}

template <>
struct conformance_of<advertises> {
  template <class F>
  static void tests(const add_test& add) {
    add("neighbours_are_told_the_same", expect_neighbours_told<F>);
  }
};

// A key that is here scores highest; strangers reach the floor as seldom as is said.
template <class F>
void expect_scores_above_noise() {
  constexpr std::uint64_t asked = 100'000;
  constexpr double chance = 0.001;
  const F filter = filled<F>(42, 0, suite_keys);
  const any_filter erased(filter);
  const std::uint64_t floor = filter.noise_floor(chance);
  EXPECT_EQ(erased.as<scores>().noise_floor(chance), floor);
  const auto members = numbered_digests(42, 100);
  std::uint64_t highest = 0;
  std::uint64_t noisy = 0;
  for (const digest d : numbered_digests(43, asked)) {
    const std::uint64_t score = filter.score(d);
    EXPECT_EQ(erased.as<scores>().score(d), score);
    highest = std::max(highest, score);
    noisy += std::uint64_t{score >= floor};
  }
  EXPECT_TRUE(plausible_limit(noisy, asked, chance));
  for (const digest d : members) {
    EXPECT_GE(filter.score(d), highest);
    EXPECT_GE(filter.score(d), floor);
  }
}

template <>
struct conformance_of<scores> {
  template <class F>
  static void tests(const add_test& add) {
    add("strangers_seldom_reach_the_floor", expect_scores_above_noise<F>);
  }
};

}  // namespace bloomery::testing
