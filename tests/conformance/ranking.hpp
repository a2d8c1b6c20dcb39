#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

// Twenty keys, key i coming 10 * (i + 1) times, and room for the eight that come most.
template <class F>
void expect_the_most_frequent_first() {
  constexpr std::uint64_t room = 8;
  F filter(F::ranking(F::plan(suite_keys, suite_rate), room));
  ASSERT_EQ(filter.most_ranked(), room);
  const auto keys = numbered_digests(38, 20);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t times = 0; times < 10 * (i + 1); ++times) filter.insert(keys[i]);
  }
  any_filter erased(filter);
  EXPECT_EQ(erased.as<ranks>().most_ranked(), room);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(filter.wants_label(keys[i]), i >= keys.size() - room);
    EXPECT_EQ(erased.as<ranks>().wants_label(keys[i]), filter.wants_label(keys[i]));
    filter.label(keys[i], "key " + std::to_string(i));
    erased.as<ranks>().label(keys[i], "key " + std::to_string(i));
    EXPECT_FALSE(filter.wants_label(keys[i]));
  }
  EXPECT_TRUE(same_bytes(erased, filter));
  const std::vector<ranked_key> top = filter.top();
  const std::vector<ranked_key> same = erased.as<ranks>().top();
  ASSERT_EQ(top.size(), room);
  ASSERT_EQ(same.size(), room);
  for (std::size_t i = 0; i < top.size(); ++i) {
    const std::size_t number = keys.size() - 1 - i;
    EXPECT_EQ(top[i].key, keys[number]);
    EXPECT_EQ(top[i].label, "key " + std::to_string(number));
    EXPECT_GE(top[i].count, 10 * (number + 1));
    EXPECT_LE(top[i].count, filter.count(keys[number]));
    EXPECT_EQ(same[i].key, top[i].key);
    EXPECT_EQ(same[i].count, top[i].count);
    EXPECT_EQ(same[i].label, top[i].label);
  }
}

// Without room there is no list.
template <class F>
void expect_nothing_ranked_without_room() {
  F filter(F::ranking(F::plan(suite_keys, suite_rate), 0));
  filter.insert(numbered_digests(38, 20));
  EXPECT_EQ(filter.most_ranked(), 0U);
  EXPECT_TRUE(filter.top().empty());
  EXPECT_FALSE(filter.wants_label(numbered_digests(38, 1).front()));
}

template <>
struct conformance_of<ranks> {
  template <class F>
  static void tests(const add_test& add) {
    add("the_most_frequent_come_first", expect_the_most_frequent_first<F>);
    add("without_room_nothing_is_ranked", expect_nothing_ranked_without_room<F>);
  }
};

}  // namespace bloomery::testing
