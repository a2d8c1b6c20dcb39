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

}  // namespace bloomery::testing
