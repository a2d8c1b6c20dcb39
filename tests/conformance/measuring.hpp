#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

inline void expect_same_estimate(const math::estimate& a, const math::estimate& b) {
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

template <class F>
void expect_fill_and_rate_to_be_shares() {
  EXPECT_EQ(fresh<F>().fill(), 0);
  EXPECT_LE(fresh<F>().current_rate(), suite_rate);
  const F filter = sample_filter<F>(26, 1000);
  EXPECT_GE(filter.fill(), 0);
  EXPECT_LE(filter.fill(), 1);
  EXPECT_GE(filter.current_rate(), 0);
  EXPECT_LE(filter.current_rate(), 1);
  EXPECT_EQ(filter.fill() > 0, holds_keys<F>);
  const any_filter erased(filter);
  EXPECT_EQ(erased.as<tells_rate>().fill(), filter.fill());
  EXPECT_EQ(erased.as<tells_rate>().current_rate(), filter.current_rate());
}

template <>
struct conformance_of<tells_rate> {
  template <class F>
  static void tests(const add_test& add) {
    add("fill_and_rate_are_shares", expect_fill_and_rate_to_be_shares<F>);
  }
};

template <class F>
void expect_estimates_to_cover_the_truth() {
  EXPECT_EQ(fresh<F>().estimated_keys(0.95).value, 0);
  const F first = filled<F>(10, 0, 1500);
  const F second = filled<F>(10, 900, 1500);
  const auto covers = [](const math::estimate& e, double truth) {
    EXPECT_FALSE(e.saturated);
    EXPECT_LE(e.low, truth);
    EXPECT_GE(e.high, truth);
    EXPECT_LE(e.low, e.value);
    EXPECT_LE(e.value, e.high);
    EXPECT_LT(e.high - e.low, truth) << "an interval that says something";
  };
  covers(first.estimated_keys(1 - significance), 1500);
  const math::overlap both = first.estimated_overlap(second, 1 - significance);
  covers(both.first, 1500);
  covers(both.second, 1500);
  covers(both.united, 2400);
  covers(both.common, 600);
  covers(both.jaccard, 600.0 / 2400.0);
  const any_filter erased(first);
  expect_same_estimate(erased.as<measures>().estimated_keys(0.9), first.estimated_keys(0.9));
  expect_same_estimate(erased.as<measures>().estimated_overlap(second, 1 - significance).common,
                       both.common);
}

template <>
struct conformance_of<measures> {
  template <class F>
  static void tests(const add_test& add) {
    if constexpr (able<F, inserts>) {
      add("estimates_cover_the_truth", expect_estimates_to_cover_the_truth<F>);
    }
  }
};

template <class F>
void expect_keys_to_take_room() {
  const F filter = filled<F>(27, 0, 1000);
  const math::estimate taken = any_filter(filter).as<takes_room>().taken_keys(1 - significance);
  expect_same_estimate(taken, filter.cells().taken_keys(1 - significance));
  EXPECT_LE(taken.low, 1000);
  EXPECT_GE(taken.high, 1000);
}

template <>
struct conformance_of<takes_room> {
  template <class F>
  static void tests(const add_test& add) {
    add("keys_take_the_room_they_take", expect_keys_to_take_room<F>);
  }
};

template <class F>
void expect_the_same_wear() {
  const F filter = filled<F>(28, 0, 1000);
  expect_same_estimate(any_filter(filter).as<wears>().wearing_keys(0.9),
                       filter.cells().wearing_keys(0.9));
  EXPECT_EQ(any_filter(fresh<F>()).as<wears>().wearing_keys(0.9).value, 0);
}

template <>
struct conformance_of<wears> {
  template <class F>
  static void tests(const add_test& add) {
    add("the_erased_filter_wears_the_same", expect_the_same_wear<F>);
  }
};

template <class F>
void expect_overflows_counted() {
  F filter = fresh<F>();
  EXPECT_EQ(filter.overflows(), 0U);
  try {
    for (int i = 0; i < 5000; ++i) filter.insert(digest{1, 2});
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::limit);
  }
  EXPECT_EQ(any_filter(filter).as<overflowing>().overflows(), filter.overflows());
  EXPECT_EQ(wire::load<F>(wire::save(filter)).overflows(), filter.overflows());
  EXPECT_FALSE(F::kind.overflow.empty()) << "what it means is said";
}

template <>
struct conformance_of<overflowing> {
  template <class F>
  static void tests(const add_test& add) {
    add("overflows_are_counted_and_stored", expect_overflows_counted<F>);
  }
};

}  // namespace bloomery::testing
