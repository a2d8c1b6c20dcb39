#include "bloomery/filters/map/bloomier_cascade.hpp"

#include <gtest/gtest.h>

#include <map>

#include "bloomery/wire/filter_io.hpp"
#include "map_entries.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Exact on the keys it was built from: any number of them, of values and of hashes.
TEST(bloomier_cascade, keeps_every_value) {
  for (const std::uint64_t n : {1U, 2U, 5U, 40U, 700U, 5000U}) {
    for (const std::uint64_t values : {1U, 2U, 3U, 100U, 70'000U}) {
      for (const std::uint64_t hashes : {1U, 2U, 3U, 4U, 9U}) {
        auto entries = numbered_entries(n + hashes, n, values);
        for (std::uint64_t i = 0; i < n / 3; ++i) entries.push_back(entries[hash::mix(i) % n]);
        const auto map = bloomier_cascade_filter::build({n, hashes, values}, entries);
        for (const keyed_value& entry : entries) {
          ASSERT_EQ(map.value(entry.key), (mapped{mapped::state::present, entry.value}))
              << n << " keys, " << values << " values, " << hashes << " hashes";
        }
      }
    }
  }
}

// All keys of one value, so that one filter of each pair is empty: sizes do not depend on it.
TEST(bloomier_cascade, holds_values_however_they_divide) {
  for (const std::uint64_t value : {0U, 1U, 6U}) {
    std::vector<keyed_value> entries;
    for (const digest d : numbered_digests(value, 3000)) entries.push_back({d, value});
    const auto map = bloomier_cascade_filter::build({3000, 2, 7}, entries);
    for (const keyed_value& entry : entries) ASSERT_EQ(map.value(entry.key).value, value);
    EXPECT_TRUE(map_rate_as_predicted<bloomier_cascade_filter>({3000, 2, 7}, entries, 100'000));
  }
}

// 200,000 keys, at which filters are as full as expected; 400,000 strangers. With one hash there are
// many levels, with three there are two, with six one.
TEST(bloomier_cascade, claims_strangers_as_predicted) {
  constexpr std::uint64_t n = 200'000;
  for (const auto& [hashes, values] : {std::pair{1U, 4U}, {3U, 2U}, {6U, 1U}}) {
    EXPECT_TRUE(map_rate_as_predicted<bloomier_cascade_filter>(
        {n, hashes, values}, numbered_entries(1, n, values), 400'000));
  }
}

// Chance spreads the rates of small cascades, and each tells its own: 10 of 20 keys for each number of
// hashes, 20,000 strangers each.
TEST(bloomier_cascade, few_keys_make_a_rate_that_it_tells) {
  for (const std::uint64_t hashes : {1U, 2U, 3U}) {
    const bloomier_cascade_shape shape{20, hashes, 3};
    sample rates;
    for (std::uint64_t i = 0; i < 10; ++i) {
      const auto map = bloomier_cascade_filter::build(shape, numbered_entries(50 + i, 20, 3));
      std::uint64_t hits = 0;
      for (const digest d : numbered_digests(70 + i, 20'000)) {
        hits += std::uint64_t{map.may_contain(d)};
      }
      EXPECT_TRUE(plausible_count(hits, 20'000, map.current_rate()));
      rates.add(map.current_rate());
    }
    EXPECT_TRUE(plausible_mean(rates, bloomier_cascade_filter::predicted_rate(shape, 20)));
  }
  EXPECT_EQ(bloomier_cascade_filter::build({20, 2, 3}, numbered_entries(1, 0, 3)).current_rate(),
            0);
}

// As many keys reach the list as the first level's filters mistake: (1−e^(−1/2))^k of them.
TEST(bloomier_cascade, lists_what_filters_mistake) {
  constexpr std::uint64_t n = 100'000;
  const auto map = bloomier_cascade_filter::build({n, 5, 2}, numbered_entries(1, n, 2));
  EXPECT_EQ(map.cells().levels(), 1U);
  EXPECT_TRUE(plausible_count(map.cells().listed(), n, std::pow(1 - std::exp(-0.5), 5)));
}

// Keys that no filter can tell apart are told apart by the list.
TEST(bloomier_cascade, tells_digests_apart_that_hash_alike) {
  const std::vector<keyed_value> near{{{1, 2}, 3}, {{1, 3}, 1}, {{9, 2}, 0}};
  const auto map = bloomier_cascade_filter::build({50, 4, 5}, near);
  for (const keyed_value& entry : near) EXPECT_EQ(map.value(entry.key).value, entry.value);
  EXPECT_GE(map.cells().listed(), 2U);
}

TEST(bloomier_cascade, refuses_what_it_cannot_hold) {
  EXPECT_TRUE(throws_error(errc::limit, "3,000 distinct keys do not fit", [] {
    (void)bloomier_cascade_filter::build({1000, 6, 2}, numbered_entries(1, 3000, 2));
  }));
  const std::vector<keyed_value> twice{{{1, 2}, 3}, {{5, 6}, 1}, {{1, 2}, 2}};
  EXPECT_TRUE(throws_error(errc::invalid, "two values, 2 and 3", [&] {
    (void)bloomier_cascade_filter::build({10, 3, 4}, twice);
  }));
  EXPECT_TRUE(throws_error(errc::limit, "bits", [] {
    (void)bloomier_cascade_filter({max_keys, 3, 4});
  }));
}

// Listed values are values, and filters, list and record agree.
TEST(bloomier_cascade, refuses_lists_that_make_no_sense) {
  const auto map = bloomier_cascade_filter::build({300, 5, 3}, numbered_entries(1, 300, 3));
  ASSERT_GE(map.cells().listed(), 1U);
  std::vector<std::byte> bytes;
  for (const byte_view part : map.payload()) bytes.insert(bytes.end(), part.begin(), part.end());
  const auto parts = map.payload();
  const std::size_t values_at = bytes.size() - parts.back().size();
  const auto refused = [&](std::size_t at, int value, const char* why) {
    auto bad = bytes;
    bad[at] = static_cast<std::byte>(value);
    EXPECT_TRUE(throws_error(errc::corrupt, why, [&] {
      (void)bloomier_cascade_filter::restore(map.shape(), map.record(), wire::copied(bad));
    }));
  };
  refused(0, 17, "17");
  refused(0, 0, "agree");
  refused(values_at, 3, "value out of range");
  filter_record record = map.record();
  record.items = 0;
  EXPECT_TRUE(throws_error(errc::corrupt, "0 are on record", [&] {
    (void)bloomier_cascade_filter::restore(map.shape(), record, wire::copied(bytes));
  }));
}

}  // namespace
}  // namespace bloomery::testing
