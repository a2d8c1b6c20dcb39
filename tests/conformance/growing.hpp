#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

// Twenty times the keys it was planned for.
template <class F>
void expect_growth_to_lose_nothing_and_keep_the_rate() {
  constexpr std::uint64_t many = 20 * suite_keys;
  F filter = fresh<F>();
  EXPECT_EQ(filter.stages(), 1U);
  const auto keys = numbered_digests(31, many);
  filter.insert(keys);
  EXPECT_GT(filter.stages(), 1U);
  EXPECT_EQ(hits(filter, keys), many);
  constexpr std::uint64_t asked = 100'000;
  EXPECT_TRUE(
      plausible_limit(hits(filter, numbered_digests(32, asked)), asked, math::with_reserve(0.01)));
  const any_filter erased(filter);
  EXPECT_EQ(erased.as<grows>().stages(), filter.stages());
}

template <>
struct conformance_of<grows> {
  template <class F>
  static void tests(const add_test& add) {
    add("growth_loses_nothing_and_keeps_the_rate",
        expect_growth_to_lose_nothing_and_keep_the_rate<F>);
  }
};

template <class F>
void expect_compacting_to_lose_nothing() {
  F filter = fresh<F>();
  const auto keys = numbered_digests(33, 5 * suite_keys);
  filter.insert(keys);
  filter.erase(std::span(keys).first(4 * suite_keys));
  const std::uint64_t before = wire::save(filter).size();
  const std::uint64_t items = filter.record().items;
  any_filter erased(filter);
  filter.compact();
  erased.as<compacts>().compact();
  EXPECT_TRUE(same_bytes(erased, filter));
  EXPECT_LE(wire::save(filter).size(), before);
  EXPECT_EQ(hits(filter, std::span(keys).subspan(4 * suite_keys)), suite_keys);
  EXPECT_EQ(filter.record().items, items);
}

template <>
struct conformance_of<compacts> {
  template <class F>
  static void tests(const add_test& add) {
    add("compacting_loses_nothing", expect_compacting_to_lose_nothing<F>);
  }
};

}  // namespace bloomery::testing
