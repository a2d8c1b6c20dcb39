#include "bloomery/math/laws/shards.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "bloomery/hash/shard.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::numbered_digests;
using bloomery::testing::plausible_count;

TEST(fullest_part, is_the_least_that_holds) {
  for (const auto& [keys, parts] : {std::pair<std::uint64_t, std::uint64_t>{1, 2},
                                    {10, 3},
                                    {5000, 16},
                                    {1'000'000, 12},
                                    {1'000'000'000'000, 18'600}}) {
    const std::uint64_t most = fullest_part(keys, parts, 1e-6);
    const double share = 1 / static_cast<double>(parts);
    const double tail = binomial_upper(most + 1, keys, share) * static_cast<double>(parts);
    EXPECT_TRUE(most == keys || tail <= 1e-6) << keys << " in " << parts;
    EXPECT_GT(binomial_upper(most, keys, share) * static_cast<double>(parts), 1e-6);
    EXPECT_LE(most, keys);
  }
}

// Of 500 dealings of 3,000 keys to 16 shards, those in which one has more than a twentieth of them should
// have are no more than one in twenty.
TEST(fullest_part, is_exceeded_as_seldom_as_said) {
  constexpr std::uint64_t trials = 500;
  constexpr std::uint64_t keys = 3000;
  constexpr std::uint64_t shards = 16;
  constexpr double chance = 0.05;
  const std::uint64_t most = fullest_part(keys, shards, chance);
  std::uint64_t exceeded = 0;
  std::uint64_t nearly = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    std::vector<std::uint64_t> loads(shards);
    for (const digest d : numbered_digests(70 + i, keys)) ++loads[hash::shard_of(d, shards)];
    const std::uint64_t fullest = *std::max_element(loads.begin(), loads.end());
    exceeded += std::uint64_t{fullest > most};
    nearly += std::uint64_t{fullest > most - 10};
  }
  EXPECT_TRUE(bloomery::testing::plausible_limit(exceeded, trials, chance));
  EXPECT_GT(nearly, trials / 20) << "the bound is far from tight";
}

// Filters of their own shape and number of keys each: the interval of the sum covers as said.
TEST(sum_of, covers_the_sum) {
  constexpr std::uint64_t trials = 400;
  constexpr std::uint64_t parts = 8;
  const bit_layout layout = uniform_layout(4000, 3);
  const auto thrower = bloomery::testing::ball_thrower::uniform(4000, 3);
  std::uint64_t covered = 0;
  double widths = 0;
  std::mt19937_64 random(11);
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    std::vector<estimate> told;
    std::uint64_t keys = 0;
    for (std::uint64_t part = 0; part < parts; ++part) {
      const std::uint64_t own = 300 + 60 * part;
      keys += own;
      bloomery::testing::simulated_bits bits(thrower.bits());
      thrower.insert(random, own, bits);
      told.push_back(estimate_keys(layout, bloomery::testing::zeros_of(bits), 0.9));
    }
    const estimate sum = sum_of(told);
    covered += std::uint64_t{sum.low <= static_cast<double>(keys) &&
                             static_cast<double>(keys) <= sum.high};
    double apart = 0;
    for (const estimate& part : told) apart += part.high - part.low;
    widths += (sum.high - sum.low) / apart;
  }
  EXPECT_TRUE(bloomery::testing::plausible_limit(trials - covered, trials, 0.1));
  EXPECT_LT(widths / trials, 0.5) << "ends, not variances, were added";
}

TEST(sum_of, is_bounded_from_below_alone_if_a_part_is_saturated) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<estimate, 2> parts{{{100, 90, 110, false}, {infinity, 500, infinity, true}}};
  const estimate sum = sum_of(parts);
  EXPECT_TRUE(sum.saturated);
  EXPECT_EQ(sum.low, 590);
  EXPECT_EQ(sum_of({}).value, 0);
}

TEST(rate_of_any, is_that_of_independent_answers) {
  EXPECT_EQ(rate_of_any({}), 0);
  const std::array<double, 3> rates{0.01, 0.005, 1e-18};
  EXPECT_NEAR(rate_of_any(rates), 0.01 + 0.005 - 0.00005, 1e-15);
  const std::array<double, 2> full{1, 0.5};
  EXPECT_EQ(rate_of_any(full), 1);
  const std::array<double, 1> tiny{1e-18};
  EXPECT_NEAR(rate_of_any(tiny), 1e-18, 1e-30);
}

}  // namespace
}  // namespace bloomery::math
