#include "bloomery/math/kinds/fuse.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

double per_key(std::uint64_t keys, unsigned arity) {
  return real(plan_fuse(keys, arity).slots()) / real(keys);
}

// Graf and Lemire's fit: segments of 2^⌊log_3.33 n + 2.25⌋ and 2^⌊log_2.91 n − 0.5⌋ slots.
TEST(fuse_size, follows_the_fit) {
  EXPECT_EQ(plan_fuse(100, 3).segment_log2, 6U);
  EXPECT_EQ(plan_fuse(10'000, 3).segment_log2, 9U);
  EXPECT_EQ(plan_fuse(1'000'000, 3).segment_log2, 13U);
  EXPECT_EQ(plan_fuse(100, 4).segment_log2, 3U);
  EXPECT_EQ(plan_fuse(10'000, 4).segment_log2, 8U);
  EXPECT_EQ(plan_fuse(1'000'000, 4).segment_log2, 12U);
  EXPECT_EQ(plan_fuse(max_keys, 4).segment_log2, 18U);
  // With three slots a key, at most 10·√n, where the fit would say 2^15, 2^17 and 2^18.
  EXPECT_EQ(plan_fuse(10'000'000, 3).segment_log2, 14U);
  EXPECT_EQ(plan_fuse(100'000'000, 3).segment_log2, 16U);
  EXPECT_EQ(plan_fuse(1'000'000'000, 3).segment_log2, 18U);
}

TEST(fuse_size, is_at_least_the_factor_and_at_most_a_segment_more) {
  for (const unsigned arity : {3U, 4U}) {
    for (double keys = 2; keys < 1e12; keys *= 1.37) {
      const auto n = static_cast<std::uint64_t>(keys);
      const fuse_size size = plan_fuse(n, arity);
      const double log = std::log(real(n));
      const double factor = arity == 3 ? std::max(1.125, 0.875 + 0.25 * std::log(1e6) / log)
                                       : std::max(1.075, 0.77 + 0.305 * std::log(6e5) / log);
      const double wanted = factor * real(n);
      const auto slots = real(size.slots());
      EXPECT_GE(slots, wanted) << n;
      const double least = std::ldexp(arity, static_cast<int>(size.segment_log2));
      EXPECT_LE(slots, std::max(least, wanted + least / arity)) << n;
    }
  }
}

TEST(fuse_size, nears_its_limit) {
  EXPECT_LE(per_key(1'000'000, 3), 1.14);
  EXPECT_LE(per_key(10'000'000, 3), 1.127);
  EXPECT_LE(per_key(100'000'000, 3), 1.126);
  EXPECT_LE(per_key(1'000'000, 4), 1.08);
  EXPECT_LE(per_key(100'000'000, 4), 1.076);
  for (std::uint64_t n = 1; n <= 300; ++n) EXPECT_LE(plan_fuse(n, 3).slots(), 12 + 5 * n) << n;
}

TEST(fuse_size, refuses_what_it_cannot_plan) {
  EXPECT_TRUE(throws_error(errc::invalid, "keys is 0", [] { (void)plan_fuse(0, 3); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys is", [] { (void)plan_fuse(max_keys + 1, 3); }));
  EXPECT_TRUE(throws_error(errc::invalid, "arity is 2", [] { (void)plan_fuse(1, 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "arity is 5", [] { (void)plan_fuse(1, 5); }));
}

TEST(fuse_cost, is_a_line_a_slot) {
  const query_cost three = fuse_cost(plan_fuse(1'000'000, 3), 8);
  EXPECT_EQ(three.absent, three.present);
  EXPECT_NEAR(three.present, 3 * (1 + 7.0 / 512), 1e-12);
  EXPECT_NEAR(fuse_cost(plan_fuse(1'000'000, 4), 1).absent, 4, 1e-12);
  EXPECT_EQ(fuse_cost(plan_fuse(1, 3), 8).present, 1) << "12 slots are in one line";
}

}  // namespace
}  // namespace bloomery::math
