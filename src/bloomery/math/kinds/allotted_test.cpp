#include "bloomery/math/kinds/allotted.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/weighted.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using math::allotment;
using math::demand;

std::vector<demand> hot_and_cold(double membership) {
  std::vector<demand> keys(1000, {0.9 / 1000, membership});
  keys.resize(10'000, {0.1 / 9000, membership});
  return keys;
}

TEST(allotment, without_a_map_it_is_a_standard_filter) {
  const allotment a{.bits = 5000, .hashes = 6};
  for (const std::uint64_t n : {0U, 10U, 600U, 4000U}) {
    EXPECT_NEAR(a.stranger_rate(n), math::exact_rate(5000, n, 6), 1e-14);
  }
  const std::vector<demand> alike(50, {2, 0.5});
  const auto planned = math::plan_allotment(25, 0.01, alike, math::weighted_hashes);
  EXPECT_EQ(planned.listed, 0U) << "no key deserves more than another";
  EXPECT_EQ(planned.bits, math::plan_standard(25, 0.01).bits);
  const std::vector<demand> members(50, {0, 1});
  const std::vector<unsigned> hashes(50, 6);
  EXPECT_EQ(a.listed_rate(600, members, hashes), a.stranger_rate(600)) << "only members are listed";
}

TEST(allotment, strangers_may_be_taken_for_listed_keys) {
  const allotment a{.bits = 1000,
                    .hashes = 3,
                    .listed = 10,
                    .map_bits = 2,
                    .least_hashes = 0,
                    .most_hashes = 1,
                    .mean_hashes = 2};
  const double fill = a.fill(200);
  EXPECT_NEAR(fill, -std::expm1(400 * std::log1p(-0.001)), 1e-12);
  EXPECT_NEAR(a.stranger_rate(200), 0.25 + 0.25 * fill + 0.5 * std::pow(fill, 3), 1e-3);
  EXPECT_EQ(a.given(0), 0U);
  EXPECT_EQ(a.given(7), 1U) << "the most that the map can tell";
  const allotment hot{
      .hashes = 3, .listed = 10, .map_bits = 2, .least_hashes = 5, .most_hashes = 7};
  EXPECT_EQ(hot.given(4), 3U) << "not in the map";
}

// The map of 1,000 keys pays as soon as there are enough members to serve better: the page says from
// when.
TEST(allotment, a_plan_has_a_map_where_that_pays) {
  const auto few = math::plan_allotment(1500, 0.01, hot_and_cold(0.15), math::weighted_hashes);
  EXPECT_EQ(few.listed, 0U);
  const auto enough = math::plan_allotment(2000, 0.01, hot_and_cold(0.2), math::weighted_hashes);
  EXPECT_EQ(enough.listed, 1000U);
  for (const double x : {0.5, 0.9}) {
    const auto keys = static_cast<std::uint64_t>(10'000 * x);
    const auto demands = hot_and_cold(x);
    for (const double rate : {0.05, 0.01, 1e-4}) {
      const auto a = math::plan_allotment(keys, rate, demands, math::weighted_hashes);
      ASSERT_EQ(a.listed, 1000U);
      const auto allotted = math::weighted_hashes(demands, a.budget);
      const auto plain = math::plan_standard(keys, rate);
      EXPECT_LT(math::total_bits(a), static_cast<double>(plain.bits));
      EXPECT_LE(a.listed_rate(keys, demands, allotted), rate);
      EXPECT_GT(a.stranger_rate(keys), rate) << "the price, said openly";
      EXPECT_LE(a.stranger_rate(keys), std::sqrt(rate));
      auto smaller = a;
      --smaller.bits;
      EXPECT_TRUE(smaller.listed_rate(keys, demands, allotted) > rate ||
                  smaller.stranger_rate(keys) > std::sqrt(rate))
          << "not a bit too many";
    }
  }
}

}  // namespace
}  // namespace bloomery::testing
