#include "bloomery/filters/changing/two_filter.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/mix.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

static_assert(able<two_filter_filter, loses> && !able<two_filter_filter, merges>);

digest turned(digest d) {
  return {d.hi, d.lo};
}

// Against the two standard filters that it is, over any history, legal or not.
TEST(two_filter, is_a_filter_of_members_and_one_of_the_removed) {
  two_filter_filter filter({2000, 4, 900, 3});
  standard_filter members({2000, 4});
  standard_filter removed({900, 3});
  const auto pool = numbered_digests(1, 600);
  for (std::uint64_t step = 0; step < 3000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    const bool claimed = members.may_contain(d) && !removed.may_contain(turned(d));
    ASSERT_EQ(filter.may_contain(d), claimed);
    if (hash::mix(~step) % 3 != 0) {
      const bool refused = removed.may_contain(turned(d));
      EXPECT_EQ(filter.insert(d), !refused && members.insert(d));
    } else {
      EXPECT_EQ(filter.erase(d), claimed);
      if (claimed) removed.insert(turned(d));
    }
  }
}

// What was removed cannot be inserted again, and inserting it says so.
TEST(two_filter, removed_keys_do_not_return) {
  auto filter = two_filter_filter::for_keys(500, 0.01);
  const auto keys = numbered_digests(2, 500);
  filter.insert(keys);
  const std::uint64_t claimed_gone = keys.size() - filter.erase(keys);
  const double chance = two_filter_filter::predicted_false_negatives(filter.shape(), keys.size());
  EXPECT_GE(math::binomial_upper(claimed_gone, keys.size(), chance), significance);
  const auto gone = filter.copy();
  for (const digest d : keys) {
    EXPECT_FALSE(filter.may_contain(d));
    EXPECT_FALSE(filter.erase(d)) << "it is gone already";
    EXPECT_FALSE(filter.insert(d));
    EXPECT_FALSE(filter.may_contain(d));
  }
  for (std::size_t part = 0; part < 2; ++part) {
    EXPECT_TRUE(std::ranges::equal(filter.payload()[part], gone.payload()[part]));
  }
}

// The second filter's false positives are false negatives of the whole (Tarkoma §II-B). 400 filters
// of 1000 live keys and 1000 removed ones; the removed have a filter of 8000 bits, so 2.4 % of the
// live are lost. A filter's keys share its bits: a t-test over filters.
TEST(two_filter, misses_as_many_live_keys_as_predicted) {
  const two_filter_shape shape{30'000, 8, 8000, 5};
  constexpr std::uint64_t filters = 400;
  const double predicted = two_filter_filter::predicted_false_negatives(shape, 1000);
  sample shares;
  for (std::uint64_t i = 0; i < filters; ++i) {
    two_filter_filter filter(shape);
    const auto live = numbered_digests(100 + i, 1000);
    const auto gone = numbered_digests(100 + i, 1000, 1000);
    filter.insert(live);
    filter.insert(gone);
    for (const digest d : gone) filter.erase(d);  // but those that are taken for removed already
    double missed = 0;
    for (const digest d : live) missed += filter.may_contain(d) ? 0 : 1;
    shares.add(missed / 1000);
  }
  EXPECT_TRUE(plausible_mean(shares, predicted));
}

TEST(two_filter, the_plan_keeps_both_rates) {
  const auto shape = two_filter_filter::plan(5000, 0.001);
  EXPECT_LE(two_filter_filter::predicted_rate(shape, 5000), 0.001);
  EXPECT_LE(two_filter_filter::predicted_false_negatives(shape, 5000), 0.001);
  EXPECT_EQ(two_filter_filter::predicted_false_negatives(shape, 0), 0);
}

}  // namespace
}  // namespace bloomery::testing
