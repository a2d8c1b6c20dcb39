#include "bloomery/filters/weighted/popularity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/kinds/popularity.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

std::vector<key_weight> zipf(double membership) {
  std::vector<key_weight> weights;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    weights.push_back({numbered_digest(1, i), 1 / static_cast<double>(i + 1), membership});
  }
  return weights;
}

// Tarkoma §III-T: never more bits than as many hashes for all alike; each listed key has the hashes
// that the method allots it, as far as the map tells.
TEST(popularity, both_methods_plan_and_allot) {
  for (const double x : {0.1, 0.9}) {
    const auto weights = zipf(x);
    const auto keys = static_cast<std::uint64_t>(5000 * x);
    const auto alike = static_cast<double>(standard_filter::plan(keys, 0.01).bits);
    for (const std::uint64_t method : {0U, 1U}) {
      const auto shape =
          popularity_cells::plan_weighted(keys, math::with_reserve(0.01), weights, method);
      EXPECT_LE(math::total_bits(shape), alike);
      if (x < 0.5) continue;
      EXPECT_EQ(shape.method, method);
      ASSERT_GT(shape.listed, 0U);
      EXPECT_LT(math::total_bits(shape), 0.95 * alike);
      const auto filter = popularity_filter::build(shape, {}, weights);
      const bloomery::detail::demand_list list(weights);
      const auto allotted = method == 0 ? math::floored_hashes(list.demands, shape.budget)
                                        : math::greedy_hashes(list.demands, shape.budget);
      std::uint64_t otherwise = 0;
      for (std::size_t i = 0; i < list.keys.size(); ++i) {
        const std::uint64_t k = shape.given(allotted[i]);
        const bool given = filter.cells().hashes_of(list.keys[i]) == k;
        EXPECT_TRUE(given || k == shape.hashes) << "only keys not in the map may be mistaken";
        otherwise += std::uint64_t{!given};
      }
      EXPECT_TRUE(plausible_count(
          otherwise, list.keys.size() - shape.listed,
          static_cast<double>(shape.codes()) * std::exp2(-static_cast<double>(shape.map_bits))));
    }
  }
}

TEST(popularity, methods_have_names) {
  const auto& method = popularity_shape::fields.back().info;
  EXPECT_EQ(method.name, "method");
  EXPECT_EQ(format_value(method, std::uint64_t{1}), "greedy");
  EXPECT_EQ(popularity_filter::plan_weighted(4500, 0.01, zipf(0.9)).method, 1U)
      << "if none is said";
}

}  // namespace
}  // namespace bloomery::testing
