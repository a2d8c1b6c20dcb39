#pragma once

#include <map>

#include "conformance/suite.hpp"

namespace bloomery::testing {

// A long legal history: never more than `suite_keys` keys live, none of them more than twice, and only
// live ones erased. A kind may decline to erase a key; then it keeps it.
template <class F>
void expect_no_live_key_lost_by_erasing_others() {
  F filter = fresh<F>();
  std::map<digest, std::uint64_t> live;
  std::uint64_t held = 0;
  const auto pool = numbered_digests(14, suite_keys);
  for (std::uint64_t step = 0; step < 10 * suite_keys; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    std::uint64_t& copies = live[d];
    const bool grow = hash::mix(~step) % 2 == 0;
    if (grow && copies < 2 && held < std::min(suite_keys, room_with_copies<F>)) {
      filter.insert(d);
      ++copies;
      ++held;
    } else if (!grow && copies > 0 && filter.erase(d)) {
      --copies;
      --held;
    }
    EXPECT_TRUE(copies == 0 || filter.may_contain(d)) << "at " << step;
    if constexpr (able<F, counts>) {
      EXPECT_GE(filter.count(d), copies) << "at " << step;
    }
    EXPECT_EQ(filter.record().items, held);
    if (step % 2000 != 0) continue;
    for (const auto& [key, number] : live) EXPECT_TRUE(number == 0 || filter.may_contain(key));
  }
}

template <class F>
void expect_batches_to_erase_as_single_keys() {
  for (const std::uint64_t n : {std::uint64_t{600}, std::uint64_t{1} << 21}) {
    F one_by_one = fresh<F>(n);
    const auto inserted = numbered_digests(15, 600);
    one_by_one.insert(inserted);
    F batched = one_by_one.copy();
    any_filter erased(one_by_one);
    const auto leaving = std::span(inserted).first(400);
    std::uint64_t gone = 0;
    for (const digest d : leaving) gone += std::uint64_t{one_by_one.erase(d)};
    EXPECT_GT(gone, 0U);
    EXPECT_EQ(batched.erase(leaving), gone);
    EXPECT_EQ(batched.record().items, 600 - gone);
    EXPECT_EQ(wire::save(batched), wire::save(one_by_one));
    EXPECT_EQ(erased.as<erases>().erase(leaving), gone);
    EXPECT_TRUE(same_bytes(erased, one_by_one));
  }
}

// A key that came 40 times, more often than planned counters count, or as often as it was taken: erasing
// it again and again answers true if it changed the filter and false if not, also of a key that stays.
template <class F>
void expect_erasing_to_say_whether_it_did() {
  F filter = fresh<F>();
  filter.insert(numbered_digests(16, 100));
  const digest d = numbered_digest(17, 0);
  try {
    for (int i = 0; i < 40; ++i) filter.insert(d);
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::limit);
  }
  const auto payload = [&] {
    std::vector<std::byte> bytes;
    for (const auto part : filter.payload()) bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
  };
  for (int i = 0; i < 50; ++i) {
    const auto before = payload();
    const bool gone = filter.erase(d);
    EXPECT_EQ(payload() != before, gone) << i;
  }
  EXPECT_FALSE(filter.erase(d));
}

template <>
struct conformance_of<erases> {
  template <class F>
  static void tests(const add_test& add) {
    if constexpr (able<F, inserts>) {
      add("batches_erase_as_single_keys", expect_batches_to_erase_as_single_keys<F>);
      add("erasing_says_whether_it_did", expect_erasing_to_say_whether_it_did<F>);
      if constexpr (exact_members<F> && !able<F, forgets>) {
        add("no_live_key_is_lost_by_erasing_others", expect_no_live_key_lost_by_erasing_others<F>);
      }
    }
  }
};

template <>
struct conformance_of<erases_in_batches> : tested_with_another {};

}  // namespace bloomery::testing
