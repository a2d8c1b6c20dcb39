#include "bloomery/math/kinds/multi_blocked.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "bloomery/math/laws/estimate.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::sample;
using bloomery::testing::simulated_bits;
using bloomery::testing::zeros_of;

// Filters of two and three parts thrown by another generator, at few and many keys: rates, zeros and their
// spread. 3,000 filters each, 20 strangers a filter.
TEST(multi_blocked, rate_and_fill_are_those_of_thrown_filters) {
  for (const auto& size : {multi_blocked_size{1, 2, 3}, {3, 2, 4}, {4, 3, 2}}) {
    for (const std::uint64_t keys : {1U, 5U, 150U}) {
      std::mt19937_64 random(keys + size.blocks);
      const auto part = ball_thrower::lane_blocked(size.blocks, 8, 64, size.hashes);
      sample rates;
      sample zeros;
      for (int trial = 0; trial < 3000; ++trial) {
        std::vector<simulated_bits> parts(size.parts, simulated_bits(part.bits(), 0));
        double sum = 0;
        for (auto& bits : parts) {
          part.insert(random, keys, bits);
          sum += real(zeros_of(bits));
        }
        zeros.add(sum);
        constexpr int strangers = 20;
        int claimed = 0;
        for (int i = 0; i < strangers; ++i) {
          bool all = true;
          for (const auto& bits : parts) {
            part.throw_key(random, [&](std::uint64_t at) { all = all && bits[at] != 0; });
          }
          claimed += all ? 1 : 0;
        }
        rates.add(double{static_cast<double>(claimed)} / strangers);
      }
      const bit_layout layout = multi_blocked_layout(size);
      EXPECT_TRUE(plausible_mean(zeros, layout.expected_zeros(real(keys))));
      const double rate = multi_blocked_rate(size, keys);
      if (rates.mean() > 0) {
        EXPECT_TRUE(plausible_mean(rates, rate)) << keys;
      } else {
        EXPECT_TRUE(testing::plausible_count(0, 60'000, rate));
      }
    }
  }
}

// The price between one line and many: bits a key at a million keys, as the page has them.
TEST(multi_blocked, takes_less_than_one_line_and_more_than_all) {
  for (const double rate : {0.01, 0.001, 0.0001}) {
    const auto bits = [&](std::uint64_t parts) {
      const multi_blocked_size size = plan_multi_blocked(1'000'000, rate, parts);
      EXPECT_LE(multi_blocked_rate(size, 1'000'000), rate);
      return 512 * size.parts * size.blocks;
    };
    EXPECT_EQ(bits(1), 512 * plan_blocked(1'000'000, rate).blocks);
    EXPECT_LT(bits(2), bits(1));
    EXPECT_LT(bits(3), bits(2));
    EXPECT_GT(bits(2), plan_standard(1'000'000, rate).bits);
  }
}

TEST(multi_blocked, an_absent_key_reads_little_more_than_one_line) {
  const multi_blocked_size size = plan_multi_blocked(1'000'000, 0.0001, 2);
  const query_cost cost = multi_blocked_cost(size, 1'000'000);
  EXPECT_NEAR(cost.absent, 1.01, 0.001);
  EXPECT_EQ(cost.present, 2);
}

}  // namespace
}  // namespace bloomery::math
