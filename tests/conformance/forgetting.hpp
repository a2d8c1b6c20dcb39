#pragma once

#include <map>

#include "conformance/suite.hpp"

namespace bloomery::testing {

// Whether the shape that a plan makes forgets by arrivals.
template <class F>
bool runs_on_arrivals(const F& filter) {
  if constexpr (able<F, keeps_time>) return !filter.runs_on_time();
  return true;
}

// Arrivals repeat; the window is full twice over.
template <class F>
void expect_no_key_lost_inside_the_window() {
  F filter = fresh<F>();
  ASSERT_TRUE(runs_on_arrivals(filter));
  ASSERT_GE(filter.window(), suite_keys);
  const auto pool = numbered_digests(2, 3 * suite_keys);
  std::vector<digest> arrivals;
  for (std::uint64_t step = 0; step < 3 * suite_keys; ++step) {
    arrivals.push_back(pool[hash::mix(step) % pool.size()]);
    filter.insert(arrivals.back());
    EXPECT_TRUE(filter.may_contain(arrivals.back()));
    if (step % 500 != 0) continue;
    const std::uint64_t inside = std::min<std::uint64_t>(arrivals.size(), filter.window());
    EXPECT_EQ(hits(filter, std::span(arrivals).last(inside)), inside) << "at " << step;
  }
}

template <class F>
void expect_the_same_window() {
  const any_filter erased(fresh<F>());
  EXPECT_EQ(erased.as<forgets>().window(), fresh<F>().window());
  EXPECT_EQ(runs_on_time(erased), !runs_on_arrivals(fresh<F>()));
  EXPECT_EQ(erased.kind().template as<forgets>().peak(erased.shape()) != 0,
            runs_on_arrivals(fresh<F>()));
}

template <>
struct conformance_of<forgets> {
  template <class F>
  static void tests(const add_test& add) {
    add("the_erased_filter_has_the_same_window", expect_the_same_window<F>);
    if constexpr (exact_members<F> && able<F, inserts>) {
      if (runs_on_arrivals(fresh<F>())) {
        add("no_key_is_lost_inside_the_window", expect_no_key_lost_inside_the_window<F>);
      }
    }
  }
};

inline constexpr std::uint64_t window_length = 60'000;

template <class F>
F timed_filter() {
  return F(F::plan_time(suite_keys, suite_rate, window_length), {}, {suite_keys, suite_rate});
}

// Keys come and go with the milliseconds; what is as old as the window is still there.
template <class F>
void expect_no_key_lost_inside_a_window_of_time() {
  F filter = timed_filter<F>();
  ASSERT_TRUE(filter.runs_on_time());
  ASSERT_GE(filter.window(), window_length);
  std::uint64_t now = 1'000'000'007;
  std::map<digest, std::uint64_t> last;
  for (std::uint64_t step = 0; step < 2 * suite_keys; ++step) {
    now += hash::mix(step) % (2 * window_length / suite_keys);
    filter.advance(now);
    EXPECT_EQ(filter.now(), now);
    const digest d = numbered_digest(19, hash::mix(~step) % suite_keys);
    filter.insert(d);
    last[d] = now;
    if (step % 200 != 0) continue;
    for (const auto& [key, time] : last) {
      EXPECT_TRUE(now - time > filter.window() || filter.may_contain(key)) << now - time;
    }
  }
  filter.insert(digest{1, 2});
  filter.advance(now + filter.window());
  EXPECT_TRUE(filter.may_contain(digest{1, 2}));
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::invalid, "time", [&] { filter.advance(now); }));
  EXPECT_EQ(wire::save(filter), before);
  filter.advance(now + 10 * filter.window());
  EXPECT_EQ(hits(filter, numbered_digests(19, suite_keys)), 0U) << "all expires";
}

// Asked as of a later time it answers as it would then, and is not changed by it.
template <class F>
void expect_later_answers_without_change() {
  F filter = timed_filter<F>();
  const auto keys = numbered_digests(29, 400);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    filter.advance(1000 + i * window_length / 100);
    filter.insert(keys[i]);
  }
  const auto before = wire::save(filter);
  any_filter erased(filter);
  for (const std::uint64_t later : {0U, 7U, 10'000U, 60'000U, 600'000U}) {
    const std::uint64_t now = filter.now() + later;
    F moved = filter.copy();
    moved.advance(now);
    const flags answers(keys.size());
    const flags same(keys.size());
    EXPECT_EQ(filter.may_contain(keys, answers.all, now), hits(moved, keys));
    EXPECT_EQ(erased.as<keeps_time>().may_contain(keys, same.all, now), hits(moved, keys));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(answers.all[i], moved.may_contain(keys[i]));
      EXPECT_EQ(same.all[i], answers.all[i]);
      EXPECT_EQ(filter.may_contain(keys[i], now), answers.all[i]);
    }
    std::vector<std::uint64_t> told(keys.size());
    if constexpr (able<F, counts>) {
      std::vector<std::uint64_t> then(keys.size());
      moved.count(keys, then);
      filter.count(keys, told, now);
      EXPECT_EQ(told, then);
      erased.as<keeps_time>().count(keys, told, now);
      EXPECT_EQ(told, then);
    } else {
      EXPECT_TRUE(throws_error(errc::unsupported, "cannot count keys",
                               [&] { erased.as<keeps_time>().count(keys, told, now); }));
    }
    EXPECT_EQ(wire::save(filter), before);
    any_filter advanced(filter);
    advanced.as<keeps_time>().advance(now);
    EXPECT_TRUE(same_bytes(advanced, moved));
  }
}

template <>
struct conformance_of<keeps_time> {
  template <class F>
  static void tests(const add_test& add) {
    if constexpr (able<F, asks, inserts>) {
      add("later_answers_change_nothing", expect_later_answers_without_change<F>);
      if constexpr (exact_members<F>) {
        add("no_key_is_lost_inside_a_window_of_time",
            expect_no_key_lost_inside_a_window_of_time<F>);
      }
    }
  }
};

// What was not touched between two ageings is gone after the second.
template <class F>
void expect_ageing_to_forget_the_untouched() {
  F filter = filled<F>(30, 0, 500);
  any_filter erased(filter);
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t items = filter.record().items;
    const std::uint64_t gone = filter.age();
    EXPECT_EQ(filter.record().items, items - gone);
    EXPECT_EQ(erased.as<ages>().age(), gone);
    EXPECT_TRUE(same_bytes(erased, filter));
  }
  EXPECT_EQ(filter.record().items, 0U);
  EXPECT_EQ(hits(filter, numbered_digests(30, 500)), 0U);
}

template <>
struct conformance_of<ages> {
  template <class F>
  static void tests(const add_test& add) {
    add("ageing_forgets_what_is_not_touched", expect_ageing_to_forget_the_untouched<F>);
  }
};

}  // namespace bloomery::testing
