#include "bloomery/math/kinds/bloomier_cascade.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// 2^(k^i)·k bits for each key and digit, as in the paper: 6, 24 and 1536 with k = 3.
TEST(cascade, has_the_papers_sizes) {
  const cascade_size size = cascade{1'000'000, 3, 2}.size();
  ASSERT_EQ(size.levels.size(), 2U);
  EXPECT_EQ(size.levels[0], 6'000'000U);
  // (1−e^(−1/2))³ of a million are 60,918, with a standard deviation of 247.
  EXPECT_NEAR(real(size.levels[1]) / 24, 60'918 + 4 * 247, 10);
  // A third pair would cost more than the digests of those that are left.
  EXPECT_NEAR(real(size.listed), 101.6 + 4 * std::sqrt(101.6), 3);
  EXPECT_NEAR(size.bits(1) / 1e6, 7.504, 0.001);
  // With one hash all levels have two bits, until the digests of a few are cheaper.
  const cascade_size thin = cascade{1'000'000, 1, 2}.size();
  EXPECT_GT(thin.levels.size(), 10U);
  EXPECT_LT(thin.listed, 60U);
  EXPECT_EQ((cascade{1000, 6, 2}.size().levels.size()), 1U);
}

TEST(cascade, rate_for_many_keys) {
  // One pair: a stranger passes one filter and not the other.
  const double pass = std::pow(1 - std::exp(-0.5), 6);
  EXPECT_NEAR((cascade{1'000'000, 6, 2}.rate(1'000'000)), 2 * pass * (1 - pass), 1e-6);
  EXPECT_NEAR((cascade{1'000'000, 6, 1}.rate(1'000'000)), pass * (1 - pass), 1e-6);
  // Three values of two digits: one code in four is none.
  const double two = cascade{1'000'000, 6, 4}.rate(1'000'000);
  EXPECT_NEAR(two, std::pow(2 * pass * (1 - pass), 2), 1e-8);
  EXPECT_DOUBLE_EQ((cascade{1'000'000, 6, 3}.rate(1'000'000)), two * 3 / 4);
  EXPECT_EQ((cascade{1000, 6, 2}.rate(0)), 0);
  EXPECT_EQ((cascade{1000, 6, 2}.rate(4000)), 1) << "the list overflows";
}

TEST(cascade, plan_keeps_the_rate_in_the_fewest_bits) {
  for (const std::uint64_t keys : {1U, 3U, 10U, 30U, 10'000U}) {
    for (const std::uint64_t values : {1U, 2U, 13U, 256U}) {
      for (const double rate : {0.3, 0.01, 1e-6}) {
        const cascade planned = plan_cascade(keys, rate, values);
        EXPECT_LE(planned.rate(keys), rate);
        for (std::uint64_t hashes = 1; hashes <= 2 * planned.hashes + 10; ++hashes) {
          const cascade other{keys, hashes, values};
          EXPECT_TRUE(other.rate(keys) > rate ||
                      other.size().bits(other.digits()) >= planned.size().bits(planned.digits()))
              << keys << ' ' << values << ' ' << rate << ' ' << hashes;
        }
      }
    }
  }
  EXPECT_TRUE(throws_error(errc::invalid, "values", [] { (void)plan_cascade(10, 0.1, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_cascade(0, 0.1, 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_cascade(10, 1, 2); }));
  EXPECT_TRUE(throws_error(errc::limit, "bits", [] { (void)plan_cascade(max_keys, 0.1, 2); }));
}

// What the page says it takes, against the least: 1.6 times for two values, 2.4 for 256.
TEST(cascade, takes_more_than_the_tables) {
  const auto per_key = [](std::uint64_t values, double rate) {
    const cascade planned = plan_cascade(1'000'000, rate, values);
    return planned.size().bits(planned.digits()) / 1e6;
  };
  EXPECT_NEAR(per_key(2, 0.01), 12.51, 0.01);
  EXPECT_NEAR(per_key(16, 0.001), 29.96, 0.01);
  EXPECT_NEAR(per_key(256, 0.001), 43.96, 0.01);
  EXPECT_GT(per_key(256, 0.001), 2.4 * least_map_bits(256, 0.001));
}

}  // namespace
}  // namespace bloomery::math
