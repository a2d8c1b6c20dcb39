#include "bloomery/filters/set/retouched.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/filters/set/retouching.hpp"
#include "bloomery/math/kinds/retouched.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

constexpr std::array every_method{retouch_method::random, retouch_method::fewest_members,
                                  retouch_method::most_unwanted, retouch_method::best_ratio};

std::uint64_t claimed(const retouched_filter& filter, std::span<const digest> keys) {
  std::uint64_t count = 0;
  for (const digest d : keys) count += std::uint64_t{filter.may_contain(d)};
  return count;
}

std::vector<digest> false_positives(const retouched_filter& filter, std::uint64_t stream,
                                    std::uint64_t asked) {
  std::vector<digest> found = numbered_digests(stream, asked);
  std::erase_if(found, [&](digest d) { return !filter.may_contain(d); });
  return found;
}

TEST(retouched, is_the_standard_filter_until_bits_are_cleared) {
  const auto shape = retouched_filter::plan(500, 0.02);
  retouched_filter filter(shape);
  standard_filter plain(shape);
  filter.insert(numbered_digests(1, 500));
  plain.insert(numbered_digests(1, 500));
  EXPECT_TRUE(std::ranges::equal(filter.cells().bits().bytes(), plain.cells().bits().bytes()));
  EXPECT_EQ(wire::save(retouched(plain)), wire::save(filter));
  EXPECT_EQ(filter.overflows(), 0U);
  EXPECT_TRUE(retouch(filter, {}, retouch_method::random).cleared == 0);
  EXPECT_EQ(wire::save(retouched(plain)), wire::save(filter));
}

// No listed key remains; bits are the listed keys' own, each cleared for a key still claimed;
// the report is what an observer counts. Repeats, keys not claimed and listed members included.
TEST(retouched, no_listed_key_remains) {
  for (std::uint64_t trial = 0; trial < 12; ++trial) {
    const retouch_method method = every_method[trial % 4];
    retouched_filter filter({trial < 8 ? 900U : 40U, 5});  // crowded ones repeat positions
    const auto members = numbered_digests(10 + trial, trial < 8 ? 100 : 8);
    filter.insert(members);
    auto listed = numbered_digests(30 + trial, 3000);
    const std::uint64_t positives = claimed(filter, listed) + 1;
    listed.push_back(members[3]);
    const auto before = filter.copy();
    auto doubled = listed;
    doubled.insert(doubled.end(), listed.rbegin(), listed.rend());
    auto repeated = filter.copy();
    const auto report = retouch(filter, listed, method, {members});
    EXPECT_EQ(claimed(filter, listed), 0U);
    EXPECT_EQ(report.unwanted, positives);
    EXPECT_EQ(report.removed, positives);
    EXPECT_LE(report.cleared, positives);
    EXPECT_EQ(filter.cells().bits().count() + report.cleared, before.cells().bits().count());
    EXPECT_EQ(filter.cells().bits().count_common(before.cells().bits()),
              filter.cells().bits().count());
    EXPECT_EQ(filter.overflows(), report.cleared);
    EXPECT_EQ(report.members, members.size());
    EXPECT_EQ(*report.lost, members.size() - claimed(filter, members));
    EXPECT_EQ(report.lost_share(),
              static_cast<double>(*report.lost) / static_cast<double>(members.size()));
    EXPECT_EQ(report.listed_gain(), 1 / report.lost_share());
    (void)retouch(repeated, doubled, method, {members});
    EXPECT_EQ(wire::save(repeated), wire::save(filter)) << "order and repeats do not matter";
  }
}

// One unwanted key in reach of known counts: the bit that each method must take.
TEST(retouched, each_method_takes_the_bit_it_should) {
  const auto shape = standard_shape{2000, 4};
  const digest bad = numbered_digest(1, 0);
  const hash::positions own = hash::distinct_positions_of(hash::uniform_probes{2000, 4}, bad);
  ASSERT_EQ(own.size(), 4U);
  // Another unwanted key that shares just own[1].
  std::optional<digest> other;
  for (std::uint64_t i = 0; !other; ++i) {
    const digest d = numbered_digest(2, i);
    const hash::positions at = hash::distinct_positions_of(hash::uniform_probes{2000, 4}, d);
    std::uint64_t shared = 0;
    for (const std::uint64_t b : at) shared += std::uint64_t{own.contains(b)};
    if (shared == 1 && at.contains(own[1])) other = d;
  }
  const std::vector<digest> listed{bad, *other};
  const auto members_on = [&](std::uint64_t i) -> std::uint64_t {
    if (i == own[0]) return 5;
    if (i == own[1]) return 7;
    if (i == own[2]) return 4;
    return 8;
  };
  const auto taken = [&](retouch_method method) {
    retouched_filter filter(shape);
    filter.insert(listed);
    const auto report = retouch(filter, listed, method, {{}, members_on});
    std::vector<bool> cleared;
    for (const std::uint64_t i : own) cleared.push_back(!filter.cells().bits().test(i));
    EXPECT_EQ(report.cleared, cleared[1] ? 1U : 2U);
    EXPECT_FALSE(report.lost.has_value());
    EXPECT_GT(report.predicted_loss, 0);
    return cleared;
  };
  EXPECT_EQ(taken(retouch_method::most_unwanted), (std::vector{false, true, false, false}));
  EXPECT_EQ(taken(retouch_method::best_ratio), (std::vector{false, true, false, false}));
  const auto fewest = taken(retouch_method::fewest_members);
  EXPECT_TRUE(fewest == (std::vector{false, false, true, false}) ||
              fewest == (std::vector{false, true, false, false}));
}

TEST(retouched, a_counting_filter_knows_enough) {
  auto counting = counting_filter::for_keys(400, 0.05);
  const auto members = numbered_digests(5, 400);
  counting.insert(members);
  auto by_counts = retouched(counting.plain());
  auto by_none = by_counts.copy();
  const auto listed = numbered_digests(6, 2000);
  const auto counter = [&](std::uint64_t i) { return counting.cells().counter(i); };
  const auto report = retouch(by_counts, listed, retouch_method::fewest_members, {{}, counter});
  EXPECT_EQ(claimed(by_counts, listed), 0U);
  EXPECT_FALSE(report.lost.has_value());
  const auto blind = retouch(by_none, listed, retouch_method::random);
  EXPECT_LT(report.predicted_loss, blind.predicted_loss);
  EXPECT_GT(claimed(by_counts, members), claimed(by_none, members));
  for (const auto method : {retouch_method::fewest_members, retouch_method::best_ratio}) {
    const auto before = wire::save(by_none);
    EXPECT_TRUE(throws_error(errc::invalid, "needs the members",
                             [&] { (void)retouch(by_none, listed, method); }));
    EXPECT_EQ(wire::save(by_none), before);
  }
}

// The members and their counters say the same; nothing is counted twice.
TEST(retouched, members_and_counters_agree) {
  auto counting = counting_filter::for_keys(400, 0.05);
  const auto members = numbered_digests(5, 400);
  counting.insert(members);
  auto by_both = retouched(counting.plain());
  auto by_members = by_both.copy();
  const auto listed = numbered_digests(6, 2000);
  const auto counter = [&](std::uint64_t i) { return counting.cells().counter(i); };
  const auto both = retouch(by_both, listed, retouch_method::random, {members, counter});
  const auto one = retouch(by_members, listed, retouch_method::random, {members});
  EXPECT_DOUBLE_EQ(both.predicted_loss, one.predicted_loss);
  EXPECT_EQ(both.lost, one.lost);
}

// What a run of trials measured: shares of all false positives removed and of members lost.
struct trial_means {
  sample removed_less_predicted;
  sample lost_less_removed;
  double lost = 0;
  std::uint64_t cleared = 0;
};

// 60 filters of 600 keys at 10 %; 4,000 strangers each, of which 600 have claimed ones listed.
template <class Clear>
trial_means trials(Clear clear) {
  constexpr std::uint64_t count = 60;
  trial_means result;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto filter = retouched_filter::for_keys(600, 0.1);
    const auto members = numbered_digests(100 + i, 600);
    filter.insert(members);
    const auto strangers = false_positives(filter, 200 + i, 4000);
    const retouch_report report = clear(filter, numbered_digests(300 + i, 600), members, i);
    const double removed =
        1 - static_cast<double>(claimed(filter, strangers)) / static_cast<double>(strangers.size());
    const double lost = 1 - static_cast<double>(claimed(filter, members)) / 600;
    result.removed_less_predicted.add(removed - report.strangers_removed);
    result.lost_less_removed.add(lost - removed);
    result.cleared += report.cleared;
    result.lost += lost / static_cast<double>(count);
  }
  return result;
}

// Tarkoma §III-Q: random clearing takes as many false positives as members (χ = 1), both as
// predicted.
TEST(retouched, random_clearing_is_neutral) {
  const trial_means seen = trials([](retouched_filter& filter, auto, auto, std::uint64_t i) {
    return clear_random(filter, 150, i);
  });
  EXPECT_TRUE(plausible_mean(seen.removed_less_predicted, 0));
  EXPECT_TRUE(plausible_mean(seen.lost_less_removed, 0));
  EXPECT_FALSE(plausible_mean(seen.lost_less_removed, seen.lost)) << "enough to tell";
}

// Tarkoma §III-Q: χ of all false positives is above 1 if the bit is chosen by what it bears, and 1
// if it is drawn.
TEST(retouched, informed_clearing_gains) {
  std::array<trial_means, 4> seen;
  for (std::size_t m = 0; m < 4; ++m) {
    seen[m] = trials([&](retouched_filter& filter, std::span<const digest> listed,
                         std::span<const digest> members, std::uint64_t) {
      return retouch(filter, listed, every_method[m], {members});
    });
    EXPECT_TRUE(plausible_mean(seen[m].removed_less_predicted, 0)) << m;
  }
  for (const std::size_t informed : {1U, 2U, 3U}) {
    EXPECT_LT(seen[informed].lost_less_removed.mean(), 0);
    EXPECT_FALSE(plausible_mean(seen[informed].lost_less_removed, 0));
    EXPECT_LT(seen[informed].lost, seen[0].lost);
    EXPECT_LT(seen[informed].cleared, seen[0].cleared);
  }
  EXPECT_TRUE(plausible_mean(seen[0].lost_less_removed, 0));
}

TEST(retouched, clears_as_many_as_asked_and_no_more) {
  auto filter = retouched_filter::for_keys(100, 0.01);
  filter.insert(numbered_digests(1, 100));
  const std::uint64_t ones = filter.cells().bits().count();
  EXPECT_TRUE(
      throws_error(errc::invalid, "count", [&] { (void)clear_random(filter, ones + 1, 1); }));
  auto other = filter.copy();
  EXPECT_EQ(clear_random(filter, 40, 1).cleared, 40U);
  EXPECT_EQ(filter.cells().bits().count(), ones - 40);
  (void)clear_random(other, 40, 2);
  EXPECT_NE(wire::save(other), wire::save(filter)) << "the seed matters";
  EXPECT_EQ(clear_random(filter, ones - 40, 3).strangers_removed, 1);
  EXPECT_EQ(filter.cells().bits().count(), 0U);
  EXPECT_EQ(filter.overflows(), ones);
  auto view = wire::save(other);
  const auto loaded = wire::load<retouched_filter>(view);
  EXPECT_EQ(loaded.overflows(), 40U);
  filter.merge(other);
  EXPECT_EQ(filter.overflows(), ones + 40);
  EXPECT_EQ(claimed(filter, numbered_digests(1, 100)), claimed(other, numbered_digests(1, 100)));
}

}  // namespace
}  // namespace bloomery::testing
