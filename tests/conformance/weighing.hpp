#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

// A tenth of the strangers get nine tenths of the queries.
template <class F>
void expect_weights_to_pay() {
  const auto members = numbered_digests(34, suite_keys);
  std::vector<key_weight> weights;
  for (const digest d : numbered_digests(35, suite_keys)) {
    weights.push_back({d, weights.size() % 10 == 0 ? 81.0 : 1.0, 0.1});
  }
  const auto shape = F::plan_weighted(suite_keys, suite_rate, weights);
  EXPECT_LE(F::weighted_rate(shape, suite_keys, weights), math::with_reserve(suite_rate));
  const promise promised{suite_keys, suite_rate};
  const F filter = F::build(shape, members, weights, {}, promised);
  EXPECT_EQ(hits(filter, members), members.size());
  EXPECT_EQ(filter.record().items, members.size());

  const auto& kind = erasure<F>::kind().template as<weighs>();
  EXPECT_EQ(kind.plan_weighted(suite_keys, suite_rate, weights), values_of(shape));
  EXPECT_EQ(kind.weighted_rate(values_of(shape), suite_keys, weights),
            F::weighted_rate(shape, suite_keys, weights));
  EXPECT_TRUE(
      same_bytes(kind.build_weighted(values_of(shape), members, weights, {}, promised), filter));
}

template <>
struct conformance_of<weighs> {
  template <class F>
  static void tests(const add_test& add) {
    add("weights_are_planned_for_and_members_kept", expect_weights_to_pay<F>);
  }
};

}  // namespace bloomery::testing
