#pragma once

#include <map>

#include "conformance/suite.hpp"
#include "map_entries.hpp"

namespace bloomery::testing {

// Every key keeps its value, but for as many as the rate of strangers allows where keys share cells.
template <class F>
void expect_values_kept() {
  constexpr std::uint64_t values = 13;
  const auto shape = F::plan_map(suite_keys, suite_rate, values);
  ASSERT_GE(F::value_limit(shape), values);
  const auto entries = numbered_entries(20, suite_keys, values);
  const promise promised{suite_keys, suite_rate};
  const F filter = F::build(shape, entries, {}, promised, 1);
  EXPECT_EQ(filter.record().items, entries.size());
  std::uint64_t amiss = 0;
  for (const keyed_value& entry : entries) {
    const mapped answer = filter.value(entry.key);
    ASSERT_NE(answer.is, mapped::state::absent);
    EXPECT_TRUE(filter.may_contain(entry.key));
    const bool right = answer == mapped{mapped::state::present, entry.value};
    if (answer.is == mapped::state::present && !F::kind.values_may_err) {
      EXPECT_TRUE(right);
    }
    amiss += std::uint64_t{!right};
  }
  EXPECT_TRUE(plausible_limit(amiss, suite_keys, suite_rate));

  const any_filter erased =
      erasure<F>::kind().template as<maps>().build_map(values_of(shape), entries, {}, promised, 1);
  EXPECT_TRUE(same_bytes(erased, filter));
  const auto asked = numbered_digests(20, 700, suite_keys - 350);
  std::vector<mapped> answers(asked.size());
  std::vector<mapped> same(asked.size());
  std::uint64_t claimed = 0;
  const std::uint64_t told = filter.values(asked, answers);
  EXPECT_EQ(erased.as<maps>().values(asked, same), told);
  EXPECT_EQ(same, answers);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(answers[i], filter.value(asked[i]));
    EXPECT_EQ(answers[i].is != mapped::state::absent, filter.may_contain(asked[i]));
    claimed += std::uint64_t{answers[i].is != mapped::state::absent};
  }
  EXPECT_EQ(told, claimed);
  EXPECT_TRUE((map_rate_as_predicted<F>(shape, entries, 20'000)));

  const std::array<keyed_value, 1> beyond{{{digest{1, 2}, F::value_limit(shape)}}};
  EXPECT_TRUE(
      throws_error(errc::invalid, "value", [&] { (void)F::build(shape, beyond, {}, {}, 1); }));
  if constexpr (!able<F, inserts>) {
    auto twice = entries;
    const digest first = entries.front().key;
    twice.push_back(entries.front());
    EXPECT_EQ(F::build(shape, twice, {}, {}, 1).value(first), filter.value(first));
    twice.back().value ^= 1;
    EXPECT_TRUE(
        throws_error(errc::invalid, "value", [&] { (void)F::build(shape, twice, {}, {}, 1); }));
  }
  const auto again = wire::load<F>(wire::save(filter));
  for (const digest d : asked) EXPECT_EQ(again.value(d), filter.value(d));
}

template <>
struct conformance_of<maps> {
  template <class F>
  static void tests(const add_test& add) {
    add("values_are_kept", expect_values_kept<F>);
  }
};

template <>
struct conformance_of<maps_in_batches> : tested_with_another {};

// Whatever is set last holds, and what is set for one key changes no other's value.
template <class F>
void expect_the_value_set_last() {
  constexpr std::uint64_t values = 200;
  const auto entries = numbered_entries(21, suite_keys, values);
  std::map<digest, std::uint64_t> oracle;
  for (const keyed_value& entry : entries) oracle[entry.key] = entry.value;
  const auto shape = F::plan_map(suite_keys, suite_rate, values);
  F filter = F::build(shape, entries, {}, {}, 1);
  for (std::uint64_t step = 0; step < 3 * suite_keys; ++step) {
    const digest d = entries[hash::mix(step) % entries.size()].key;
    EXPECT_TRUE(filter.set_value(d, oracle[d] = hash::mix(~step) % values));
  }
  for (const auto& [d, value] : oracle) {
    EXPECT_EQ(filter.value(d), (mapped{mapped::state::present, value}));
  }
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::invalid, "value", [&] {
    filter.set_value(entries[0].key, F::value_limit(filter.shape()));
  }));
  EXPECT_EQ(wire::save(filter), before);
  // A stranger has no value to change.
  std::uint64_t claimed = 0;
  const auto strangers = numbered_digests(22, 5000);
  for (const digest d : strangers) {
    const bool absent = filter.value(d).is == mapped::state::absent;
    claimed += std::uint64_t{!absent};
    if (absent) {
      EXPECT_FALSE(filter.set_value(d, 1));
    }
  }
  EXPECT_EQ(wire::save(filter), before);
  EXPECT_TRUE(plausible_count(claimed, strangers.size(), F::predicted_rate(shape, suite_keys)));
}

template <class F>
void expect_the_same_values_set() {
  constexpr std::uint64_t values = 10;
  const auto entries = numbered_entries(24, 300, values);
  auto changed = entries;
  for (keyed_value& entry : changed) entry.value = (entry.value + 1) % values;
  F typed = F::build(F::plan_map(300, suite_rate, values), entries, {}, {}, 1);
  any_filter erased(typed);
  std::uint64_t done = 0;
  for (const keyed_value& entry : changed) {
    done += std::uint64_t{typed.set_value(entry.key, entry.value)};
  }
  EXPECT_EQ(erased.as<sets_values>().set_values(changed), done);
  EXPECT_TRUE(same_bytes(erased, typed));
}

template <>
struct conformance_of<sets_values> {
  template <class F>
  static void tests(const add_test& add) {
    add("the_erased_filter_sets_the_same", expect_the_same_values_set<F>);
    if constexpr (!able<F, inserts>) {
      add("the_value_set_last_holds", expect_the_value_set_last<F>);
    }
  }
};

template <class F>
void expect_a_key_among_its_classes() {
  constexpr std::uint64_t values = 13;
  const auto entries = numbered_entries(25, 500, values);
  const F filter = F::build(F::plan_map(suite_keys, suite_rate, values), entries, {}, {}, 1);
  const any_filter erased(filter);
  for (const keyed_value& entry : entries) {
    const std::vector<std::uint64_t> told = filter.hits(entry.key);
    EXPECT_EQ(std::ranges::count(told, entry.value), 1);
    EXPECT_EQ(erased.as<classifies>().hits(entry.key), told);
  }
}

template <>
struct conformance_of<classifies> {
  template <class F>
  static void tests(const add_test& add) {
    add("a_key_is_among_its_classes", expect_a_key_among_its_classes<F>);
  }
};

}  // namespace bloomery::testing
