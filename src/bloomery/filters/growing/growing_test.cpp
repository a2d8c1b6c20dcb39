// What the growing kinds promise beyond conformance.
#include <map>

#include "bloomery/filters/growing/dynamic.hpp"
#include "bloomery/filters/growing/scalable.hpp"
#include "bloomery/filters/growing/split.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

TEST(scalable, keeps_every_key_and_its_rate_as_it_grows) {
  auto filter = scalable_filter::for_keys(500, 0.02);
  constexpr std::uint64_t keys = 100'000;
  const auto members = numbered_digests(1, keys);
  std::uint64_t fresh = 0;
  std::uint64_t done = 0;
  for (const std::uint64_t target : {500U, 2000U, 20'000U, 100'000U}) {
    fresh += filter.insert(std::span(members).subspan(done, target - done));
    done = target;
    constexpr std::uint64_t asked = 200'000;
    std::uint64_t hits = 0;
    for (const digest d : numbered_digests(2, asked)) hits += std::uint64_t{filter.may_contain(d)};
    const double predicted = scalable_filter::predicted_rate(filter.shape(), target);
    EXPECT_LE(predicted, 0.02);
    // One filter's rate is off its mean by a few parts in the square root of its bits, less than
    // 200,000 coins are.
    if (target >= 20'000) {
      EXPECT_TRUE(plausible_count(hits, asked, predicted)) << target;
    }
    EXPECT_GE(math::binomial_upper(hits, asked, 0.02), significance) << target;
  }
  EXPECT_EQ(filter.stages(), 8U);
  EXPECT_LT(fresh, keys) << "claimed keys are not stored again";
  EXPECT_GE(math::binomial_upper(keys - fresh, keys, 0.02), significance);
  for (const digest d : members) ASSERT_TRUE(filter.may_contain(d));
}

// 200 filters of each size: they open a second stage within the planned keys in at most one of a hundred.
TEST(scalable, the_planned_keys_fit_into_the_first_stage) {
  for (const std::uint64_t keys : {1U, 2U, 3U, 10U, 1000U}) {
    std::uint64_t grown = 0;
    for (std::uint64_t f = 0; f < 200; ++f) {
      auto filter = scalable_filter::for_keys(keys, 0.01);
      filter.insert(numbered_digests(1000 + f, keys));
      grown += std::uint64_t{filter.stages() > 1};
    }
    EXPECT_GE(math::binomial_upper(grown, 200, 0.01), significance) << keys;
  }
}

TEST(scalable, stages_are_closed_when_half_full) {
  auto filter = scalable_filter::for_keys(300, 0.05);
  filter.insert(numbered_digests(3, 5000));
  const auto parts = filter.payload();
  ASSERT_GE(parts.size(), 4U);
  const auto stages = filter.shape().stages();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const bits::bit_array bits(stages.bits(i), storage::view(parts[i]));
    EXPECT_GE(2 * bits.count(), bits.size());
    EXPECT_LT(2 * (bits.count() - stages.hashes(i)), bits.size());
  }
}

TEST(scalable, empty_or_unfinished_stages_are_refused) {
  auto filter = scalable_filter::for_keys(300, 0.05);
  filter.insert(numbered_digests(3, 200));
  const auto stages = filter.shape().stages();
  const std::uint64_t second = bits::bit_array_bytes(stages.bits(1));
  std::vector<std::byte> bytes(filter.payload()[0].begin(), filter.payload()[0].end());
  bytes.resize(bytes.size() + second);
  bytes.back() = std::byte{};
  EXPECT_TRUE(throws_error(errc::corrupt, "one comes after it", [&] {
    (void)wire::restore<scalable_filter>(wire::envelope_of(filter), wire::copied(bytes));
  }));
}

// Tarkoma §III-O: a key is erased only where one row claims it; a refused key stays.
TEST(dynamic, erases_only_what_one_row_claims) {
  dynamic_filter filter({1280, 7, 4, 133});
  const auto keys = numbered_digests(4, 1330);
  filter.insert(keys);
  EXPECT_EQ(filter.cells().rows(), 10U);
  std::uint64_t refused = 0;
  for (const digest d : keys) {
    if (filter.erase(d)) continue;
    ++refused;
    EXPECT_TRUE(filter.may_contain(d));
  }
  // A key is refused while one of the other rows claims it, as a stranger would be; rows empty out
  // as the erasing goes on, so it is fewer than of the full ones.
  EXPECT_GT(refused, 0U);
  EXPECT_LT(static_cast<double>(refused),
            1330 * dynamic_filter::predicted_rate(filter.shape(), 1330));
  EXPECT_EQ(filter.record().items, refused);
}

TEST(dynamic, rows_follow_the_set_and_compact_merges_what_fits) {
  dynamic_filter filter({2000, 6, 4, 200});
  const auto keys = numbered_digests(5, 1000);
  filter.insert(keys);
  ASSERT_EQ(filter.cells().rows(), 5U);
  std::set<digest> live(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 5 != 0 && filter.erase(keys[i])) live.erase(keys[i]);
    if (i % 100 == 0) {
      for (const digest d : live) ASSERT_TRUE(filter.may_contain(d));
    }
  }
  const std::uint64_t rows = filter.cells().rows();
  EXPECT_LT(rows, 5U);
  filter.compact();
  EXPECT_LE(filter.cells().rows(), rows);
  for (const digest d : live) EXPECT_TRUE(filter.may_contain(d));
  const auto bytes = wire::save(filter);
  EXPECT_EQ(wire::save(wire::load<dynamic_filter>(bytes)), bytes);
}

TEST(dynamic, says_when_a_count_is_as_high_as_a_row_counts) {
  dynamic_filter few({1280, 7, 4, 10});
  dynamic_filter many({1280, 7, 4, 10});
  for (int i = 0; i < 14; ++i) few.insert({1, 2});
  for (int i = 0; i < 100; ++i) many.insert({1, 2});
  EXPECT_EQ(few.count({1, 2}), 14U);
  EXPECT_FALSE(few.count_is_full({1, 2}));
  EXPECT_EQ(many.count({1, 2}), 15U);
  EXPECT_TRUE(many.count_is_full({1, 2}));
  EXPECT_FALSE(many.count_is_full({3, 4}));
}

// Two full rows of 100 keys: a key that is there opens no other, however often it comes, and goes as often
// as it came, fourteen times.
TEST(dynamic, repeats_open_no_row) {
  const auto keys = numbered_digests(8, 200);
  dynamic_filter filter({4000, 7, 8, 100});
  filter.insert(keys);
  ASSERT_EQ(filter.cells().rows(), 2U);
  for (int round = 1; round < 14; ++round) filter.insert(keys);
  EXPECT_EQ(filter.cells().rows(), 2U);
  for (const digest d : keys) EXPECT_GE(filter.count(d), 14U);
  const auto bytes = wire::save(filter);
  EXPECT_EQ(wire::save(wire::load<dynamic_filter>(bytes)), bytes);
  for (int round = 0; round < 14; ++round) {
    for (const digest d : keys) {
      EXPECT_TRUE(filter.may_contain(d));
      filter.erase(d);
    }
  }
  EXPECT_EQ(filter.cells().rows(), 1U);
  EXPECT_EQ(filter.record().items, 0U);
}

// A hundred filters each of 1330 keys in ten rows and of 700 in six; 2000 strangers each.
TEST(dynamic, errs_as_its_rows_together) {
  EXPECT_TRUE(rate_as_predicted<dynamic_filter>({1280, 7, 4, 133}, 1330, 100, 2000));
  EXPECT_TRUE(rate_as_predicted<dynamic_filter>({1280, 7, 4, 133}, 700, 100, 2000));
}

TEST(split, is_full_when_it_says_and_loses_nothing) {
  auto filter = split_filter::for_keys(400, 0.01);
  EXPECT_EQ(split_filter::capacity(filter.shape()), 400U);
  std::vector<digest> stored;
  std::uint64_t next = 0;
  while (stored.size() < 400) {
    const digest d = numbered_digest(6, next++);
    if (filter.insert(d)) stored.push_back(d);
  }
  const auto full = wire::save(filter);
  for (int i = 0; i < 50; ++i) {
    const digest d = numbered_digest(7, static_cast<std::uint64_t>(i));
    if (filter.may_contain(d)) continue;
    EXPECT_TRUE(
        throws_error(errc::limit, "rows of the split filter are full", [&] { filter.insert(d); }));
  }
  EXPECT_EQ(wire::save(filter), full);
  for (const digest d : stored) EXPECT_TRUE(filter.may_contain(d));
}

}  // namespace
}  // namespace bloomery::testing
