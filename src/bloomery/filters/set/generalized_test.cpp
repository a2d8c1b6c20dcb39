#include "bloomery/filters/set/generalized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// The key inserted last is found, however its own bits collide; and the bits are those of an
// oracle that sets and then clears.
TEST(generalized, the_key_inserted_last_is_found) {
  constexpr std::uint64_t m = 40;  // so crowded that most keys have bits in both of their sets
  generalized_filter filter({m, 4, 5});
  std::set<std::uint64_t> ones;
  std::uint64_t colliding = 0;
  for (const digest d : numbered_digests(1, 2000)) {
    filter.insert(d);
    EXPECT_TRUE(filter.may_contain(d));
    const hash::uniform_probes probes{m, 9};
    for (std::uint64_t i = 4; i < 9; ++i) ones.insert(probes.at(d, i));
    std::uint64_t cleared = 0;
    for (std::uint64_t i = 0; i < 4; ++i) cleared += ones.erase(probes.at(d, i));
    colliding += std::uint64_t{cleared != 0};
    ASSERT_EQ(std::llround(filter.fill() * m), static_cast<long long>(ones.size()));
  }
  EXPECT_GT(colliding, 500U);
}

// m = 4000, k0 = k1 = 3, 300 keys: strangers .0157 in the long run, whatever the filter was; the
// oldest key is missed .697 of the time. 300 filters of 1000 strangers each, and 1000 filters for
// the oldest key.
TEST(generalized, errs_on_both_sides_as_predicted) {
  constexpr generalized_shape shape{4000, 3, 3};
  EXPECT_NEAR(generalized_filter::predicted_rate(shape, 300), 0.0033, 5e-5);
  EXPECT_NEAR(math::generalized_limit(shape.size()), 0.0157, 5e-5);
  EXPECT_NEAR(generalized_filter::predicted_false_negatives(shape, 299), 0.697, 5e-4);
  EXPECT_TRUE(rate_as_predicted<generalized_filter>(shape, 300, 300, 1000));
  EXPECT_TRUE(rate_as_predicted<generalized_filter>(shape, 20'000, 50, 2000));
  std::uint64_t missed = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto keys = numbered_digests(5000 + i, 300);
    generalized_filter filter(shape);
    filter.insert(keys);
    missed += std::uint64_t{!filter.may_contain(keys[0])};
  }
  EXPECT_TRUE(plausible_count(missed, 1000, math::generalized_misses(shape.size(), 299)));
}

// Tarkoma §III-R: a filter starts from arbitrary bits. After 300 keys the start still tells; .0074
// is the mean over starts that are empty, full or at random. 100 filters of each, 1,000 strangers a
// filter.
TEST(generalized, claims_strangers_by_what_it_started_from) {
  constexpr generalized_shape shape{4000, 3, 3};
  double mean = 0;
  for (const double start : {0.0, 0.5, 1.0}) {
    sample rates;
    for (std::uint64_t f = 0; f < 100; ++f) {
      std::vector<std::byte> payload(512);
      for (std::uint64_t i = 0; i < shape.bits; ++i) {
        const bool one = start == 0.5 ? hash::mix(hash::mix(f) + i) % 2 != 0 : start == 1;
        payload[i / 8] |= std::byte{one} << (i % 8);
      }
      auto filter = generalized_filter::restore(shape, {}, wire::copied(payload));
      filter.insert(numbered_digests(7000 + f, 300));
      std::uint64_t hits = 0;
      for (const digest d : numbered_digests(7000 + f, 1000, 300)) {
        hits += std::uint64_t{filter.may_contain(d)};
      }
      rates.add(static_cast<double>(hits) / 1000);
    }
    const double predicted = math::generalized_rate(shape.size(), 300, start);
    EXPECT_TRUE(plausible_mean(rates, predicted)) << start;
    mean += predicted / 3;
  }
  EXPECT_NEAR(mean, 0.0074, 5e-5);
}

// Misses by age, after the filter has settled, in one that is mostly full of ones: k1 above k0.
TEST(generalized, misses_grow_with_age) {
  constexpr generalized_shape shape{3000, 1, 4};
  for (const std::uint64_t age : {10U, 100U, 400U}) {
    EXPECT_TRUE(misses_as_predicted<generalized_filter>(shape, age, 2000, 30, 500)) << age;
  }
}

// A filter of all ones, or of all zeros, claims nobody, and new keys are found all the same.
TEST(generalized, forged_filters_claim_nobody) {
  constexpr generalized_shape shape{4096, 2, 2};
  for (const std::byte content : {std::byte{0x00}, std::byte{0xff}}) {
    const std::vector<std::byte> payload(512, content);
    auto filter = generalized_filter::restore(shape, {{}, {}, 1}, wire::copied(payload));
    std::uint64_t claimed = 0;
    for (const digest d : numbered_digests(6, 10'000))
      claimed += std::uint64_t{filter.may_contain(d)};
    EXPECT_LE(claimed, 1U);  // a key whose ones are all among its zeros: 2e-7 of them
    filter.insert(numbered_digest(6, 0));
    EXPECT_TRUE(filter.may_contain(numbered_digest(6, 0)));
  }
}

TEST(generalized, plans_keep_misses_in_bounds) {
  const auto shape = generalized_filter::plan(1000, 0.01);
  EXPECT_LE(generalized_filter::predicted_false_negatives(shape, 1000), math::planned_misses);
  EXPECT_TRUE(throws_error(errc::invalid, "zeros is 0; allowed: 1 to 32", [] {
    generalized_filter filter({100, 0, 3});
  }));
}

}  // namespace
}  // namespace bloomery::testing
