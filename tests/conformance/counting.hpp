#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

template <class F>
void expect_batches_to_count_as_single_keys() {
  for (const std::uint64_t n : batch_test_sizes) {
    F filter = fresh<F>(n);
    const auto inserted = numbered_digests(16, 150);
    filter.insert(inserted);
    filter.insert(std::span(inserted).first(50));
    const any_filter erased(filter);
    const auto asked = numbered_digests(16, 300);
    std::vector<std::uint64_t> told(asked.size());
    std::vector<std::uint64_t> same(asked.size());
    filter.count(asked, told);
    erased.as<counts>().count(asked, same);
    EXPECT_EQ(same, told);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(told[i], filter.count(asked[i]));
      if constexpr (able<F, asks>) {
        EXPECT_EQ(told[i] != 0, filter.may_contain(asked[i]));
      }
      if constexpr (!able<F, forgets> && !F::kind.false_negatives) {
        EXPECT_GE(told[i], std::uint64_t{i < 150});
      }
    }
  }
}

template <>
struct conformance_of<counts> {
  template <class F>
  static void tests(const add_test& add) {
    if constexpr (able<F, inserts>) {
      add("batches_count_as_single_keys", expect_batches_to_count_as_single_keys<F>);
    }
  }
};

// One key alone: a count that is not full is not too low.
template <class F>
void expect_counts_right_until_full() {
  F filter = fresh<F>();
  const digest key{1, 2};
  EXPECT_FALSE(filter.count_is_full(key));
  for (std::uint64_t times = 1; times <= 300 && !filter.count_is_full(key); ++times) {
    try {
      filter.insert(key);
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::limit);
      break;
    }
    const any_filter erased(filter);
    EXPECT_EQ(erased.as<saturates>().count_is_full(key), filter.count_is_full(key));
  }
  if (!filter.count_is_full(key)) return;
  const std::uint64_t full = filter.count(key);
  try {
    filter.insert(key);
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::limit);
  }
  EXPECT_TRUE(filter.count_is_full(key)) << "a full count stays full";
  EXPECT_EQ(filter.count(key), full);
}

template <>
struct conformance_of<saturates> {
  template <class F>
  static void tests(const add_test& add) {
    add("a_count_is_right_until_it_is_full", expect_counts_right_until_full<F>);
  }
};

// At least one for every key that came, none for one that is not claimed.
template <class F>
void expect_likeliest_counts() {
  F filter = fresh<F>();
  const auto keys = numbered_digests(24, 200);
  filter.insert(std::span(keys).first(100));
  filter.insert(std::span(keys).first(100));
  const any_filter erased(filter);
  for (const digest d : keys) {
    const std::uint64_t told = filter.likeliest_count(d);
    EXPECT_EQ(told != 0, filter.may_contain(d));
    EXPECT_EQ(erased.as<tells_likeliest>().likeliest_count(d), told);
  }
}

template <>
struct conformance_of<tells_likeliest> {
  template <class F>
  static void tests(const add_test& add) {
    add("what_is_claimed_came_at_least_once", expect_likeliest_counts<F>);
  }
};

// Keys i of one and keys i of the other, those they share coming i + 1 times in the first.
template <class F>
void expect_joins_never_too_low() {
  F one = fresh<F>();
  F two = fresh<F>();
  const auto keys = numbered_digests(25, 60);
  double pairs = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t times = 0; times <= i; ++times) one.insert(keys[i]);
    if (i >= 20) pairs += static_cast<double>(i + 1);
  }
  two.insert(std::span(keys).subspan(20));
  const math::estimate told = one.estimated_join(two, 0.99);
  EXPECT_GE(told.value, pairs);
  EXPECT_LE(told.low, pairs);
  EXPECT_EQ(told.high, told.value);
  EXPECT_EQ(two.estimated_join(one, 0.99).value, told.value);
  const math::estimate same = any_filter(one).as<joins>().estimated_join(any_filter(two), 0.99);
  EXPECT_EQ(same.value, told.value);
  EXPECT_EQ(same.low, told.low);
  EXPECT_TRUE(throws_error(errc::incompatible, "differs",
                           [&] { (void)one.estimated_join(fresh<F>(10 * suite_keys)); }));
}

template <>
struct conformance_of<joins> {
  template <class F>
  static void tests(const add_test& add) {
    add("joins_are_never_too_low", expect_joins_never_too_low<F>);
  }
};

template <class F>
void expect_all_counts_decoded() {
  const auto keys = numbered_digests(23, suite_keys / 2);
  F filter = fresh<F>();
  filter.insert(keys);
  filter.insert(std::span(keys).first(keys.size() / 4));
  const decoded_counts told = filter.decode(keys);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    wrong += std::uint64_t{told.counts.at(i) != 1 + std::uint64_t{i < keys.size() / 4}};
  }
  EXPECT_LE(wrong, told.uncertain);
  const decoded_counts same = any_filter(filter).as<decodes>().decode(keys);
  EXPECT_EQ(same.counts, told.counts);
  EXPECT_EQ(same.uncertain, told.uncertain);
}

template <>
struct conformance_of<decodes> {
  template <class F>
  static void tests(const add_test& add) {
    add("all_counts_are_right_but_those_called_uncertain", expect_all_counts_decoded<F>);
  }
};

}  // namespace bloomery::testing
