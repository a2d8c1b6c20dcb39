#include "bloomery/filters/map/bloomier.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "map_entries.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Chazelle et al. 2004, §3: exact on the keys it was built from, whatever the size, repeats among
// them.
TEST(bloomier, keeps_every_value_for_any_number_of_keys) {
  for (std::uint64_t n = 1; n <= 300; n += n < 40 ? 1 : 13) {
    auto entries = numbered_entries(n, n, 1000);
    for (std::uint64_t i = 0; i < n / 2; ++i) entries.push_back(entries[hash::mix(i) % n]);
    for (std::uint64_t hashes = 3; hashes <= 8; ++hashes) {
      const bloomier_shape shape{math::bloomier_slots(n, hashes), hashes, 20, 1000};
      const auto map = bloomier_filter::build(shape, entries);
      for (const keyed_value& entry : entries) {
        ASSERT_EQ(map.value(entry.key), (mapped{mapped::state::present, entry.value})) << n;
      }
    }
  }
}

// The rate is legal codes / 2^q: 13 of 2^11, 1 of 2^4, 15 of 2^4; 400,000 strangers.
TEST(bloomier, claims_strangers_at_the_rate_of_legal_codes) {
  const auto entries = numbered_entries(1, 5000, 13);
  for (const auto& [bits, values] : {std::pair{11U, 13U}, {4U, 13U}, {4U, 15U}, {4U, 16U}}) {
    const bloomier_shape shape{math::bloomier_slots(5000, 3), 3, bits, values};
    EXPECT_EQ(bloomier_filter::predicted_rate(shape, 5000), math::code_rate(values, bits));
    EXPECT_TRUE(map_rate_as_predicted<bloomier_filter>(shape, entries, 400'000));
  }
}

// And each legal value alike.
TEST(bloomier, gives_strangers_any_value) {
  const auto map =
      bloomier_filter::build({math::bloomier_slots(500, 3), 3, 4, 13}, numbered_entries(1, 500, 2));
  std::vector<std::uint64_t> counts(13);
  for (const digest d : numbered_digests(2, 50'000)) {
    if (const mapped answer = map.value(d); answer.is == mapped::state::present) {
      ++counts.at(answer.value);
    }
  }
  EXPECT_TRUE(plausibly_uniform(counts));
}

TEST(bloomier, refuses_what_it_cannot_hold) {
  const bloomier_shape shape{100, 3, 10, 8};
  EXPECT_TRUE(throws_error(errc::limit, "101 distinct keys do not fit into 100 slots", [&] {
    (void)bloomier_filter::build(shape, numbered_entries(1, 101, 8));
  }));
  // Below the threshold.
  EXPECT_TRUE(throws_error(errc::limit, "95 distinct keys do not fit", [&] {
    (void)bloomier_filter::build(shape, numbered_entries(1, 95, 8));
  }));
  const std::vector<keyed_value> twice{{{1, 2}, 3}, {{5, 6}, 1}, {{1, 2}, 5}};
  EXPECT_TRUE(throws_error(errc::invalid, "two values, 3 and 5",
                           [&] { (void)bloomier_filter::build(shape, twice); }));
  // Keys that differ in one bit, and in one half only, can be told apart.
  const std::vector<keyed_value> near{{{1, 2}, 3}, {{1, 3}, 1}, {{0, 2}, 5}, {{0, 3}, 7}};
  for (const keyed_value& entry : near) {
    EXPECT_EQ(bloomier_filter::build(shape, near).value(entry.key).value, entry.value);
  }
  const auto refused = [](const bloomier_shape& bad, errc code, const char* part) {
    EXPECT_TRUE(throws_error(code, part, [&] { (void)bloomier_filter(bad); }));
  };
  refused({2, 3, 10, 8}, errc::invalid, "slots is 2");
  refused({100, 3, 3, 9}, errc::invalid, "values is 9");
  refused({max_bits, 3, 2, 1}, errc::limit, "slots of");
  EXPECT_TRUE(throws_error(errc::invalid, "values is 0",
                           [] { (void)bloomier_filter::plan_map(10, 0.01, 0); }));
}

TEST(bloomier, refuses_a_record_that_belies_the_table) {
  const auto map = bloomier_filter::build({30, 3, 10, 8}, numbered_entries(1, 10, 8));
  filter_record record = map.record();
  record.items = 0;
  const auto bytes = wire::save(map);
  const auto payload = wire::open_envelope(bytes).payload;
  EXPECT_TRUE(throws_error(errc::corrupt, "holds keys, and 0", [&] {
    (void)bloomier_filter::restore(map.shape(), record, wire::copied(payload));
  }));
}

// n(r + log2 1/ε) is the least; this takes 1.222 times as much and a few slots.
TEST(bloomier, costs_what_it_should) {
  const double rate = 1.0 / 1024 * 1.02;
  const auto shape = bloomier_filter::plan_map(1'000'000, rate, 256);
  const double per_key = 8e-6 * static_cast<double>(bloomier_filter::payload_bytes(shape));
  EXPECT_NEAR(per_key, 22.02, 0.01);
  EXPECT_LT(per_key / math::least_map_bits(256, bloomier_filter::predicted_rate(shape, 1)), 1.2235);
}

// As a set it loses to a plain filter up to 1,331 keys, line by line, and to none above.
TEST(bloomier, is_smaller_than_a_plain_filter_of_many_keys) {
  const auto smaller = [](std::uint64_t keys) {
    return bloomier_filter::payload_bytes(bloomier_filter::plan(keys, 0.01)) <
           standard_filter::payload_bytes(standard_filter::plan(keys, 0.01));
  };
  EXPECT_FALSE(smaller(500));
  EXPECT_FALSE(smaller(1331));
  for (const std::uint64_t keys : {1332U, 1333U, 1400U, 2000U, 100'000U})
    EXPECT_TRUE(smaller(keys));
}

}  // namespace
}  // namespace bloomery::testing
