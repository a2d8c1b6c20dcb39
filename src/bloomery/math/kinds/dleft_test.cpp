#include "bloomery/math/kinds/dleft.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/kinds/cuckoo.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

std::uint64_t in_128_bits(std::uint64_t width) {
  return 128 / width;
}

// The example of Bonomi et al. 2006, 4 tables of 2048 buckets with 49152 keys. Its figures are
// those of the steady state under random removal and insertion, not of filling. It is quoted with
// .287 for a load of 7 or more; the equations give .2894.
TEST(dleft, loads_are_those_of_the_paper) {
  const auto loads = dleft_loads(4, 24, 9, history::churn);
  EXPECT_NEAR(loads[7], 0.287, 0.003);
  EXPECT_NEAR(loads[8], 0.0022, 1e-4);
  EXPECT_NEAR(loads[9], 1.7e-27, 1e-28);
  EXPECT_NEAR(std::accumulate(loads.begin() + 1, loads.end(), 0.0), 6, 1e-9);
  const auto filled = dleft_loads(4, 24, 9, history::growth);
  EXPECT_NEAR(std::accumulate(filled.begin() + 1, filled.end(), 0.0), 6, 1e-9);
  EXPECT_LT(filled[8], loads[8] / 1e6);
}

TEST(dleft, rate_is_that_of_the_paper) {
  EXPECT_NEAR(dleft_rate({4, 2048, 8, 14, 2}, 49'152), 0.001464, 1e-6);
  EXPECT_NEAR(dleft_rate({4, 2048, 8, 14, 2}, 49'152), 24 * std::exp2(-14), 2e-6);
}

TEST(dleft, plans_keep_rate_and_room) {
  for (const std::uint64_t keys : {1U, 2U, 10U, 20U, 77U, 1000U, 30'000U, 1'000'000U}) {
    for (const double rate : {0.9, 0.3, 0.01, 1e-5, 1e-9}) {
      const dleft_size size = plan_dleft(keys, rate, in_128_bits, dleft_counter_bits(keys, rate));
      EXPECT_LE(dleft_rate(size, keys), rate) << keys;
      // capacity is known to a ten-thousandth
      EXPECT_GE(dleft_capacity(size) + dleft_capacity(size) / 5000 + 1, keys) << rate;
      EXPECT_LE(size.cells * (size.remainder_bits + size.counter_bits), 128U);
    }
  }
}

// Room is told from what was worked out for other loads, in whatever order they were asked.
TEST(dleft, room_is_what_the_loads_say) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    const dleft_size size{3 + random() % 2, 20 + random() % 400, 4, 8, 2};
    const std::uint64_t most = size.tables * size.cells * size.buckets;
    const std::uint64_t keys = most / 2 + random() % (most / 2);
    const double overfull = dleft_loads(size.tables, real(keys) / real(size.buckets),
                                        size.cells + 1, history::churn)[size.cells + 1];
    EXPECT_EQ(dleft_has_room(size, keys),
              overfull * real(size.tables) * real(size.buckets) <= planned_failure)
        << size.tables << " tables of " << size.buckets << ", " << keys << " keys";
  }
}

// What it is for: half the bits of a counting filter of the same rate, or less.
TEST(dleft, takes_half_the_bits_of_counters) {
  for (const double rate : {0.01, 0.001, 1e-4, 1e-5}) {
    const dleft_size size = plan_dleft(1'000'000, rate, in_128_bits, 3);
    const standard_size counting = plan_standard(1'000'000, rate);
    const std::uint64_t counters =
        counting.bits * counter_bits(counting.bits, counting.hashes * 1'000'000);
    EXPECT_LT(2 * size.tables * size.buckets * size.cells * (size.remainder_bits + 3), counters);
  }
}

TEST(dleft, refuses_what_it_cannot_do) {
  EXPECT_TRUE(
      throws_error(errc::invalid, "keys", [] { (void)plan_dleft(0, 0.1, in_128_bits, 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_dleft(9, 1, in_128_bits, 2); }));
  EXPECT_TRUE(
      throws_error(errc::limit, "48-bit", [] { (void)plan_dleft(1000, 1e-15, in_128_bits, 2); }));
  EXPECT_TRUE(
      throws_error(errc::limit, "bits", [] { (void)plan_dleft(max_keys, 0.01, in_128_bits, 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "tables", [] { (void)dleft_rate({1, 9, 8, 14, 2}, 1); }));
}

// Three keys and 9 hashes: a third key finds two others of its hash once in 81; nobody finds six of two.
// Of many keys the others of one hash are a Poisson number.
TEST(dleft, counters_are_as_wide_as_replacement_needs) {
  const double rate = 1 - std::pow(1 - 1.0 / 9, 3);
  EXPECT_NEAR(dleft_sticking(3, rate, 2), 1.0 / 81, 1e-15);
  EXPECT_EQ(dleft_sticking(3, rate, 3), 0);
  EXPECT_NEAR(dleft_sticking(1'000'000, -std::expm1(-0.1), 2), 0.0046788, 1e-7);
  EXPECT_EQ(dleft_counter_bits(2, 0.5), 2U);
  EXPECT_EQ(dleft_counter_bits(3, 0.5), 3U);
  EXPECT_EQ(dleft_counter_bits(1'000'000, 0.00099), 2U);
  EXPECT_EQ(dleft_counter_bits(1'000'000, 0.01), 3U);
  EXPECT_EQ(dleft_counter_bits(1'000'000, 0.3), 4U);
}

// Two keys, one bucket, remainders of 2 bits, all three hashes written out; with one state no conflict.
TEST(dleft, keys_conflict_if_hash_and_state_say_so) {
  const dleft_size size{2, 1, 4, 2, 4};
  EXPECT_NEAR(dleft_conflicts(size, 2, 2), 1.0 / 3 * 1 / 2, 1e-15);
  EXPECT_EQ(dleft_conflicts(size, 100, 1), 0);
  EXPECT_EQ(dleft_conflicts(size, 1, 5), 0);
}

}  // namespace
}  // namespace bloomery::math
