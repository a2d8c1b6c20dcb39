#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

// Twenty keys, key i coming 10 * (i + 1) times.
template <class F>
void expect_the_most_frequent_first() {
  F filter = fresh<F>();
  const auto keys = numbered_digests(38, 20);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t times = 0; times < 10 * (i + 1); ++times) filter.insert(keys[i]);
  }
  any_filter erased(filter);
  for (const digest d : keys) {
    EXPECT_EQ(erased.as<ranks>().wants_label(d), filter.wants_label(d));
    if (!filter.wants_label(d)) continue;
    filter.label(d, "key");
    erased.as<ranks>().label(d, "key");
  }
  EXPECT_TRUE(same_bytes(erased, filter));
  const std::vector<ranked_key> top = filter.top();
  const std::vector<ranked_key> same = erased.as<ranks>().top();
  ASSERT_EQ(same.size(), top.size());
  std::uint64_t last = ~std::uint64_t{0};
  for (std::size_t i = 0; i < top.size(); ++i) {
    EXPECT_EQ(top[i].key, keys[keys.size() - 1 - i]);
    EXPECT_LE(top[i].count, last);
    EXPECT_GE(top[i].count, 10 * (keys.size() - i));
    EXPECT_EQ(same[i].key, top[i].key);
    last = top[i].count;
  }
}

template <>
struct conformance_of<ranks> {
  template <class F>
  static void tests(const add_test& add) {
    add("the_most_frequent_come_first", expect_the_most_frequent_first<F>);
  }
};

}  // namespace bloomery::testing
