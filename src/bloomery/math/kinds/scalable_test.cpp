#include "bloomery/math/kinds/scalable.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// The compound rate .01 with r = .9.
TEST(scalable_stages, have_the_paper_s_hashes) {
  const scalable_stages stages{1000, 0.01, 0.9, 2};
  const std::array expected{10U, 11U, 11U, 11U, 11U, 11U, 11U, 12U};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(stages.hashes(i), expected[i]) << i;
  // 30 stages at P0·r^i each come to .0095; with whole hashes each is stricter still.
  double allowed = 1;
  double reached = 1;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const double stage = 0.001 * std::pow(0.9, real(i));
    EXPECT_LE(std::exp2(-real(stages.hashes(i))), stage);
    EXPECT_GT(std::exp2(1 - real(stages.hashes(i))), stage);
    allowed *= 1 - stage;
    reached *= 1 - std::exp2(-real(stages.hashes(i)));
  }
  EXPECT_NEAR(1 - allowed, 0.0095, 5e-5);
  EXPECT_LT(1 - reached, 1 - allowed);
}

TEST(scalable_stages, stay_under_their_rate_at_any_size) {
  for (const double rate : {0.3, 0.01, 1e-6}) {
    for (const double tightening : {0.5, 0.85, 0.99}) {
      for (const std::uint64_t growth : {2U, 3U, 16U}) {
        const scalable_stages stages{2000, rate, tightening, growth};
        double before = 0;
        for (std::uint64_t keys = 1; keys < 20'000'000; keys *= 3) {
          const double now = stages.rate(keys);
          EXPECT_GE(now, before);
          EXPECT_LE(now, rate) << keys << ' ' << tightening << ' ' << growth;
          before = now;
        }
      }
    }
  }
}

TEST(scalable_stages, in_one_stage_are_a_partitioned_filter) {
  const scalable_stages stages{2000, 0.01, 0.9, 2};
  for (const std::uint64_t keys : {1U, 100U, 1385U}) {
    EXPECT_NEAR(stages.rate(keys) / partitioned_rate(2000, keys, 10), 1, 1e-9);
  }
}

TEST(scalable_stages, beyond_the_largest_filter_are_refused) {
  const scalable_stages stages{1000, 0.01, 0.9, 16};
  EXPECT_EQ(stages.slice_bits(9), 1000 * (std::uint64_t{1} << 36));
  EXPECT_TRUE(throws_error(errc::limit, "stage 9", [&] { (void)stages.bits(9); }));
  EXPECT_TRUE(throws_error(errc::limit, "stage 10", [&] { (void)stages.slice_bits(10); }));
}

TEST(half_filled_slice, is_half_full_of_its_keys) {
  for (const std::uint64_t keys : {1U, 2U, 10U, 1000U, 1'000'000U}) {
    const auto bits = real(half_filled_slice(keys));
    EXPECT_LE(-std::expm1(real(keys) * std::log1p(-1 / bits)), 0.5 + 1e-12);
    if (keys > 1) {
      EXPECT_GT(-std::expm1(real(keys) * std::log1p(-1 / (bits - 1))), 0.5);
    }
  }
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)half_filled_slice(0); }));
}

// 2,000 stages of each size, thrown: the bound holds and says something.
TEST(roomy_slice, takes_its_keys_but_for_a_chance) {
  std::mt19937_64 random(31);
  constexpr std::uint64_t slices = 4;
  constexpr std::uint64_t stages = 2000;
  for (const std::uint64_t keys : {2U, 3U, 10U, 100U}) {
    const auto closes_early = [&](std::uint64_t slice) {
      std::uint64_t closed = 0;
      for (std::uint64_t stage = 0; stage < stages; ++stage) {
        std::uint64_t ones = 0;
        for (std::uint64_t i = 0; i < slices; ++i) {
          std::vector<bool> bits(slice);
          for (std::uint64_t key = 0; key + 1 < keys; ++key) bits[random() % slice] = true;
          ones += static_cast<std::uint64_t>(std::count(bits.begin(), bits.end(), true));
        }
        closed += std::uint64_t{2 * ones >= slice * slices};
      }
      return closed;
    };
    const std::uint64_t slice = roomy_slice(keys, slices, 0.01);
    EXPECT_LE(early_close_bound(slice, slices, keys), 0.01);
    EXPECT_TRUE(slice == half_filled_slice(keys) ||
                early_close_bound(slice - 1, slices, keys) > 0.01);
    for (const std::uint64_t bits : {slice, half_filled_slice(keys)}) {
      EXPECT_GE(binomial_upper(closes_early(bits), stages, early_close_bound(bits, slices, keys)),
                testing::significance)
          << keys << ' ' << bits;
    }
  }
  EXPECT_GT(early_close_bound(half_filled_slice(100), slices, 100), 0.5);
  EXPECT_EQ(roomy_slice(1, slices, 0.01), half_filled_slice(1));
  EXPECT_EQ(early_close_bound(1, 1, 5), 1);
  EXPECT_TRUE(throws_error(errc::limit, "beyond", [] { (void)roomy_slice(max_keys, 4, 0.01); }));
}

}  // namespace
}  // namespace bloomery::math
