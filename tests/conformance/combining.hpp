#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

template <class F>
void expect_merging_to_hold_both_sets() {
  F first = filled<F>(5, 0, 1000);
  const F second = filled<F>(5, 900, 1000);
  any_filter erased(first);
  first.merge(second);
  EXPECT_EQ(hits(first, numbered_digests(5, 1900)), 1900U);
  EXPECT_EQ(first.record().items, 2000U);
  EXPECT_EQ(first.record().promised, second.record().promised);
  erased.as<merges>().merge(second);
  EXPECT_TRUE(same_bytes(erased, first));
}

template <class F>
void expect_strangers_not_merged() {
  F filter = fresh<F>();
  const auto before = wire::save(filter);
  const F larger = fresh<F>(10 * suite_keys);
  const F reseeded = fresh<F>(suite_keys, suite_rate, {hash_id::xxh3, 1});
  const F keyed = fresh<F>(suite_keys, suite_rate, {hash_id::keyed, default_seed});
  F named = fresh<F>();
  named.set_names(std::vector<std::string>{"red"});
  const auto refused = [&](const std::string& why, auto combine) {
    EXPECT_TRUE(throws_error(errc::incompatible, why, combine));
    EXPECT_EQ(wire::save(filter), before);
  };
  refused(" differs: ", [&] { filter.merge(larger); });
  refused("seed differs", [&] { filter.merge(reseeded); });
  refused("hash function differs", [&] { filter.merge(keyed); });
  refused("different names", [&] { filter.merge(named); });
  if constexpr (able<F, intersects>) {
    refused(" differs: ", [&] { filter.intersect(larger); });
    refused("seed differs", [&] { filter.intersect(reseeded); });
  }
  if constexpr (able<F, measures>) {
    refused("seed differs", [&] { (void)filter.estimated_overlap(reseeded, 0.95); });
  }
}

template <>
struct conformance_of<merges> {
  template <class F>
  static void tests(const add_test& add) {
    add("strangers_are_not_combined", expect_strangers_not_merged<F>);
    if constexpr (able<F, asks, inserts>) {
      add("a_union_holds_both_sets", expect_merging_to_hold_both_sets<F>);
    }
  }
};

template <class F>
void expect_intersecting_to_hold_what_both_hold() {
  F first = filled<F>(6, 0, 1000);
  const F second = filled<F>(6, 600, 1200);
  any_filter erased(first);
  const auto only_first = numbered_digests(6, 600);
  const auto claimed_by_second = hits(second, only_first);
  first.intersect(second);
  EXPECT_EQ(hits(first, numbered_digests(6, 400, 600)), 400U);
  EXPECT_LE(hits(first, only_first), claimed_by_second);
  EXPECT_EQ(first.record().items, 1000U);
  EXPECT_EQ(first.record().promised, promise{});
  erased.as<intersects>().intersect(second);
  EXPECT_TRUE(same_bytes(erased, first));
}

template <>
struct conformance_of<intersects> {
  template <class F>
  static void tests(const add_test& add) {
    add("an_intersection_holds_what_both_hold", expect_intersecting_to_hold_what_both_hold<F>);
  }
};

template <class F>
void expect_folding_to_be_the_smaller_filter() {
  // 60 units of the first field: divisible by 2, 3, 4, 5 and 6.
  auto values = values_of(F::plan(suite_keys, suite_rate));
  values[0] = std::uint64_t{60};
  const auto inserted = numbered_digests(7, 40);
  F large(shape_from<typename F::shape_type>(values), {}, promise{40, 0.5});
  large.insert(inserted);
  const any_filter erased(large);
  for (const std::uint64_t factor : {2U, 3U, 4U, 5U, 6U, 60U}) {
    const F folded = large.folded(factor);
    F small(folded.shape(), {}, {});
    small.insert(inserted);
    EXPECT_EQ(wire::save(folded), wire::save(small)) << "factor " << factor;
    EXPECT_TRUE(same_bytes(erased.as<folds>().folded(factor), small)) << "factor " << factor;
  }
  EXPECT_EQ(wire::save(large.folded(1)), wire::save(large));
  for (const std::uint64_t factor : {0U, 7U, 120U}) {
    EXPECT_TRUE(throws_error(errc::invalid, "fold", [&] { (void)large.folded(factor); }));
  }
}

template <>
struct conformance_of<folds> {
  template <class F>
  static void tests(const add_test& add) {
    add("a_folded_filter_is_the_smaller_filter", expect_folding_to_be_the_smaller_filter<F>);
  }
};

}  // namespace bloomery::testing
