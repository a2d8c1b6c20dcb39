#include "bloomery/math/kinds/deletable.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// The estimate of Rothenberg et al. 2010, drawn in Tarkoma Fig. 7, at r = 500 and m/n = 16.
TEST(deletable, the_estimate_reproduces_the_literature) {
  EXPECT_NEAR(math::deletability(16'000, 500, 1000, 4), 0.882, 5e-4);
  EXPECT_NEAR(math::deletability(16'000, 500, 1000, 11), 0.050, 5e-4);
}

// One hash, so one region: no other key on the bit, at most one on each of the other L-1.
TEST(deletable, one_hash_is_one_region) {
  const double p = 1.0 / 900;
  const double none = std::pow(1 - p, 99);
  const double once = none + 99 * p * std::pow(1 - p, 98);
  EXPECT_NEAR(math::deletable_share(1000, 100, 100, 1), none * std::pow(once, 8), 1e-12);
}

// Two hashes, two regions: both in one with probability ½.
TEST(deletable, two_hashes_may_share_a_region) {
  const double p = 1 - std::pow(1 - 1.0 / 8, 2);
  const double none = std::pow(1 - p, 2);
  const double once = none + 2 * p * (1 - p);
  const double apart = 1 - std::pow(1 - none * std::pow(once, 3), 2);
  const double together = none * none * std::pow(once, 2);
  EXPECT_NEAR(math::deletable_share(10, 2, 3, 2), (apart + together) / 2, 1e-12);
}

TEST(deletable, more_regions_help_and_more_keys_hurt) {
  for (const std::uint64_t k : {1U, 4U, 7U}) {
    double before = 0;
    for (const std::uint64_t r : {100U, 400U, 1600U, 6400U}) {
      const double share = math::deletable_share(16'000 + r, r, 1000, k);
      EXPECT_GT(share, before);
      EXPECT_LT(share, math::deletability(16'000 + r, r, 1000, k)) << "its own bit is at risk too";
      EXPECT_GT(share, math::deletable_share(16'000 + r, r, 2000, k));
      before = share;
    }
  }
  EXPECT_NEAR(math::deletable_share(1000, 10, 1, 5), 1, 1e-12) << "alone";
}

TEST(deletable, the_plan_reaches_its_aim_with_the_fewest_regions) {
  for (const double rate : {0.01, 1e-3, 1e-6}) {
    for (const std::uint64_t n : {100U, 100'000U}) {
      const auto size = math::plan_deletable(n, rate);
      EXPECT_EQ(size.rate, math::exact_rate(size.bits - size.regions, n, size.hashes));
      EXPECT_LE(size.rate, rate);
      EXPECT_GE(math::deletable_share(size.bits, size.regions, n, size.hashes),
                math::planned_deletable);
      EXPECT_LT(math::deletable_share(size.bits - 1, size.regions - 1, n, size.hashes),
                math::planned_deletable);
    }
  }
}

TEST(deletable, refuses_what_is_no_filter) {
  EXPECT_TRUE(throws_error(errc::invalid, "regions", [] { math::deletability(100, 50, 9, 3); }));
  EXPECT_TRUE(throws_error(errc::invalid, "regions", [] { math::deletable_share(9, 0, 9, 3); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { math::deletability(100, 9, 0, 3); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes", [] { math::deletability(100, 9, 9, 65); }));
}

}  // namespace
}  // namespace bloomery::testing
