#include "bloomery/filters/weighted/weighted.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// 1,000 hot keys, which get 90 % of the queries, and 9,000 cold ones.
std::vector<key_weight> hot_and_cold(double membership) {
  std::vector<key_weight> weights;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    weights.push_back({numbered_digest(1, i), i < 1000 ? 81.0 : 1.0, membership});
  }
  return weights;
}

// Hot and cold keys (Tarkoma §III-V), half of them members. At a twentieth the map of the hot keys
// would cost more than the filter, and none is planned.
TEST(weighted, hot_keys_get_more_hashes) {
  const auto weights = hot_and_cold(0.5);
  const auto shape = weighted_filter::plan_weighted(5000, 0.001, weights);
  std::vector<digest> members;
  for (std::size_t i = 0; i < weights.size(); i += 2) members.push_back(weights[i].key);
  const auto filter = weighted_filter::build(shape, members, weights);
  EXPECT_EQ(shape.listed, 1000U);
  EXPECT_EQ(filter.cells().hashes_of(weights[3].key), 13U);
  EXPECT_EQ(shape.hashes, 7U);
  for (const digest d : members) EXPECT_TRUE(filter.may_contain(d));
  const auto plain = standard_filter::plan(5000, 0.001);
  EXPECT_LT(100 * weighted_filter::payload_bytes(shape),
            88 * standard_filter::payload_bytes(plain));
  EXPECT_LE(weighted_filter::weighted_rate(shape, 5000, weights), 0.00099);

  const auto rare = weighted_filter::plan_weighted(500, 0.001, hot_and_cold(0.05));
  EXPECT_EQ(rare.listed, 0U);
  EXPECT_EQ(rare.bits, standard_filter::plan(500, 0.001).bits);
}

}  // namespace
}  // namespace bloomery::testing
