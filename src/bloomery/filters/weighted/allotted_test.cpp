#include "bloomery/filters/weighted/allotted.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/filters/weighted/popularity.hpp"
#include "bloomery/filters/weighted/weighted.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {

namespace {

static_assert(able<weighted_filter, weighs> && able<popularity_filter, weighs>);

// 300 keys of 6,000 are asked for often, 600 now and then; every other one is a member.
constexpr std::uint64_t members_expected = 3000;
std::vector<key_weight> some_weights(std::uint64_t stream) {
  std::vector<key_weight> weights;
  for (std::uint64_t i = 0; i < 2 * members_expected; ++i) {
    weights.push_back({numbered_digest(stream, i), i < 300 ? 200.0 : i < 900 ? 20.0 : 1.0, 0.5});
  }
  return weights;
}

std::vector<digest> every_other(std::span<const key_weight> weights, std::size_t first = 0) {
  std::vector<digest> members;
  for (std::size_t i = first; i < weights.size(); i += 2) members.push_back(weights[i].key);
  return members;
}

template <class F>
class Allotted : public ::testing::Test {};
using allotted_kinds = ::testing::Types<weighted_filter, popularity_filter>;
TYPED_TEST_SUITE(Allotted, allotted_kinds);

TYPED_TEST(Allotted, WithoutWeightsIsTheStandardFilter) {
  using F = TypeParam;
  const auto shape = F::plan(700, 0.003);
  const auto plain_shape = standard_filter::plan(700, 0.003);
  EXPECT_EQ(shape.bits, plain_shape.bits);
  EXPECT_EQ(shape.hashes, plain_shape.hashes);
  std::vector<key_weight> alike;
  for (const digest d : numbered_digests(1, 700)) alike.push_back({d, 3, 0.25});
  EXPECT_EQ(values_of(F::plan_weighted(700, 0.003, alike)), values_of(shape));
  standard_filter plain(plain_shape);
  plain.insert(numbered_digests(2, 700));
  const F filter = F::build(shape, numbered_digests(2, 700), alike);
  EXPECT_TRUE(std::ranges::equal(filter.cells().bits().bytes(), plain.cells().bits().bytes()));
  ASSERT_EQ(filter.payload().size(), 1U) << "nothing but the bits";
}

// Listed keys of all sorts, unlisted ones, and those that the map mistakes: 1 in 8 or so.
TYPED_TEST(Allotted, NoKeyIsLost) {
  using F = TypeParam;
  auto weights = some_weights(3);
  weights[7].membership = 0;  // never a member, they say
  weights[8].membership = 1;  // hence never asked for as a stranger
  weights[9].queries = 0;
  auto shape = F::plan_weighted(members_expected, 0.01, weights);
  ASSERT_GT(shape.listed, 0U);
  shape.least_hashes = 0;
  shape.most_hashes = 20;
  shape.map_bits = 7;
  shape.listed = 6000;
  std::vector<digest> members;
  for (const key_weight& w : weights) members.push_back(w.key);
  const auto unlisted = numbered_digests(4, 3000);
  F filter = F::build(shape, members, weights);
  std::uint64_t mistaken = 0;
  for (const digest d : unlisted) {
    const bool before = filter.may_contain(d);
    EXPECT_EQ(filter.insert(d), !before);
    mistaken += std::uint64_t{filter.cells().hashes_of(d) != shape.hashes};
  }
  EXPECT_TRUE(plausible_count(mistaken, 3000, 20.0 / 128)) << "20 numbers, but for the common one";
  for (const digest d : members) EXPECT_TRUE(filter.may_contain(d));
  for (const digest d : unlisted) EXPECT_TRUE(filter.may_contain(d));
  EXPECT_EQ(filter.cells().hashes_of(weights[7].key), 20U);
  EXPECT_EQ(filter.cells().hashes_of(weights[8].key), 0U) << "always claimed";
  EXPECT_EQ(filter.cells().hashes_of(weights[9].key), 0U);
  const F again = wire::load<F>(wire::save(filter));
  for (const digest d : unlisted) {
    EXPECT_EQ(again.cells().hashes_of(d), filter.cells().hashes_of(d));
  }
}

// 40 pairs of filters, one of the even keys and one of the odd: the share of all queries for strangers
// that is answered wrongly, and the share of 2,000 strangers that nobody listed.
TYPED_TEST(Allotted, TheRatesAreAsPredicted) {
  using F = TypeParam;
  constexpr std::uint64_t pairs = 40;
  const auto shape = F::plan_weighted(members_expected, 0.05, some_weights(100));
  ASSERT_GT(shape.listed, 0U);
  std::array<sample, 2> rates;
  sample over_bits;  // the rate of strangers over that of the bits, with the map and without
  sample over_bits_alone;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const auto weights = some_weights(100 + i);
    double wrong = 0;
    double asked = 0;
    double claimed = 0;
    double of_bits = 0;
    double of_bits_alone = 0;
    for (const std::size_t odd : {0U, 1U}) {
      const F filter = F::build(shape, every_other(weights, odd), weights);
      for (std::size_t j = 1 - odd; j < weights.size(); j += 2) {
        asked += weights[j].queries;
        if (filter.may_contain(weights[j].key)) wrong += weights[j].queries;
      }
      for (const digest d : numbered_digests(200 + i, 1000, 1000 * odd)) {
        claimed += filter.may_contain(d) ? 1 : 0;
      }
      of_bits += filter.current_rate() / 2;
      of_bits_alone += math::instance_rate(filter.fill(), shape.hashes) / 2;
    }
    rates[0].add(wrong / asked);
    rates[1].add(claimed / 2000);
    over_bits.add(claimed / 2000 - of_bits);
    over_bits_alone.add(claimed / 2000 - of_bits_alone);
  }
  const std::array<double, 2> predicted{
      F::weighted_rate(shape, members_expected, some_weights(100)),
      F::predicted_rate(shape, members_expected)};
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_TRUE(plausible_mean(rates[r], predicted[r])) << r;
    EXPECT_FALSE(plausible_mean(rates[r], 1.2 * predicted[r])) << "enough to tell a fifth";
  }
  EXPECT_TRUE(plausible_mean(over_bits, 0));
  if constexpr (std::is_same_v<F, popularity_filter>) {  // of the other the map tells few numbers
    EXPECT_FALSE(plausible_mean(over_bits_alone, 0));
  }
  EXPECT_LE(predicted[0], math::with_reserve(0.05));
  EXPECT_LT(F::payload_bytes(shape),
            standard_filter::payload_bytes(standard_filter::plan(members_expected, 0.05)));
}

TYPED_TEST(Allotted, OnlyFiltersOfTheSameWeightsMerge) {
  using F = TypeParam;
  const auto weights = some_weights(5);
  const auto shape = F::plan_weighted(members_expected, 0.01, weights);
  ASSERT_GT(shape.listed, 0U);
  const auto members = every_other(weights);
  F first = F::build(shape, std::span(members).first(1500), weights);
  const F second = F::build(shape, std::span(members).subspan(1500), weights);
  const F whole = F::build(shape, members, weights);
  const F other = F::build(shape, {}, some_weights(6));
  const auto before = wire::save(first);
  EXPECT_TRUE(throws_error(errc::incompatible, "map differs", [&] { first.merge(other); }));
  EXPECT_EQ(wire::save(first), before);
  first.merge(second);
  EXPECT_EQ(wire::save(first), wire::save(whole));
}

TYPED_TEST(Allotted, OrderAndRepeatsOfWeightsDoNotMatter) {
  using F = TypeParam;
  const auto weights = some_weights(7);
  auto halves = weights;
  for (key_weight& w : halves) w.queries /= 2;
  auto turned = halves;
  turned.insert(turned.end(), halves.rbegin(), halves.rend());
  const auto shape = F::plan_weighted(members_expected, 0.01, weights);
  EXPECT_EQ(values_of(F::plan_weighted(members_expected, 0.01, turned)), values_of(shape));
  EXPECT_EQ(wire::save(F::build(shape, every_other(weights), turned)),
            wire::save(F::build(shape, every_other(weights), weights)));
}

TYPED_TEST(Allotted, BadWeightsAndShapesAreRefused) {
  using F = TypeParam;
  const auto plan = [](key_weight w) { return F::plan_weighted(10, 0.01, std::span(&w, 1)); };
  const digest d{1, 2};
  EXPECT_TRUE(throws_error(errc::invalid, "queries", [&] { plan({d, -1, 0.5}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "queries", [&] { plan({d, std::nan(""), 0.5}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "membership", [&] { plan({d, 1, 1.5}); }));
  EXPECT_NO_THROW(plan({d, 0, 0}));
  EXPECT_NO_THROW(plan({d, 1, 0}));
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)F::plan_weighted(0, 0.01, {}); }));
  const auto weights = some_weights(8);
  const auto good = F::plan_weighted(members_expected, 0.01, weights);
  auto bad = good;
  bad.listed -= 1;
  EXPECT_TRUE(throws_error(errc::limit, "into the map", [&] { F::build(bad, {}, weights); }));
  bad = good;
  bad.least_hashes = bad.most_hashes + 1;
  EXPECT_TRUE(throws_error(errc::invalid, "least_hashes", [&] { F{bad}; }));
  bad = good;
  bad.map_bits = 0;
  EXPECT_TRUE(throws_error(errc::invalid, "map_bits", [&] { F{bad}; }));
  bad = good;
  bad.listed = 0;
  EXPECT_TRUE(throws_error(errc::invalid, "listed is 0", [&] { F{bad}; }));
  bad = good;
  bad.listed = max_keys;
  bad.map_bits = 32;
  EXPECT_TRUE(throws_error(errc::limit, "keys in the map", [&] { F{bad}; }));
}

// Any bytes for a map are refused or are one: no key that is inserted is lost by it.
TYPED_TEST(Allotted, CorruptMapsAreRefusedOrSound) {
  using F = TypeParam;
  const auto weights = some_weights(9);
  const F filter =
      F::build(F::plan_weighted(members_expected, 0.01, weights), every_other(weights), weights);
  const wire::envelope head = wire::envelope_of(filter);
  std::vector<std::byte> payload;
  for (const byte_view part : filter.payload()) {
    payload.insert(payload.end(), part.begin(), part.end());
  }
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    auto bytes = payload;
    const std::uint64_t reach = trial % 2 == 0 ? bytes.size() : filter.payload()[0].size();
    bytes[hash::mix(trial) % reach] ^= static_cast<std::byte>(1 + hash::mix(~trial) % 255);
    try {
      F restored = wire::restore<F>(head, wire::copied(bytes));
      restored.insert(numbered_digests(10, 20));
      for (const digest d : numbered_digests(10, 20)) EXPECT_TRUE(restored.may_contain(d));
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::corrupt) << problem.what();
    }
  }
}

}  // namespace
}  // namespace bloomery::testing
