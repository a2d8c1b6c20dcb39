#include "bloomery/math/laws/compression.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"
#include "simulation.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::ball_thrower;
using bloomery::testing::plausible_value;
using bloomery::testing::simulated_bits;
using bloomery::testing::throws_error;

TEST(entropy, is_one_for_a_fair_coin_and_nothing_for_a_sure_one) {
  EXPECT_EQ(entropy(0.5), 1);
  EXPECT_EQ(entropy(0), 0);
  EXPECT_EQ(entropy(1), 0);
  EXPECT_NEAR(entropy(0.25), 2 - 0.75 * std::log2(3), 1e-15);
  for (const double p : {0.1, 0.25, 0.375, 1e-3}) EXPECT_NEAR(entropy(p), entropy(1 - p), 1e-15);
}

TEST(entropy, keeps_its_digits_near_both_ends) {
  for (const double p : {1e-5, 1e-10, 1e-100, 1e-300}) {
    // p·(1/ln 2 - log2 p) to first order, p²/2ln 2 to second
    const double expected = p * (1 - std::log(p) - p / 2) / M_LN2;
    EXPECT_NEAR(entropy(p) / expected, 1, 1e-14 + p * p);
  }
  const double ulp = std::numeric_limits<double>::epsilon() / 2;
  EXPECT_NEAR(entropy(1 - ulp) / (ulp * (1 - std::log(ulp)) / M_LN2), 1, 1e-14);
}

// Broder–Mitzenmacher, Table 1, and the same at 8 bits (Mitzenmacher 2002).
TEST(compressed_filter, reproduces_the_published_tables) {
  struct row {
    double bits_per_key;
    std::uint64_t hashes;
    double transmitted;
    double rate;
    double rate_tolerance;
  };
  for (const auto& [bits_per_key, hashes, transmitted, rate, rate_tolerance] :
       {row{16, 11, 16, 4.59e-4, 5e-7}, row{28, 4, 15.846, 3.14e-4, 5e-7},
        row{48, 3, 15.829, 2.22e-4, 5e-7}, row{14, 2, 7.923, 0.0177, 5e-5},
        row{92, 1, 7.923, 0.0108, 5e-5}}) {
    const auto size = compressed_filter(bits_per_key, hashes);
    EXPECT_NEAR(size.transmitted, transmitted, 5e-4);
    EXPECT_NEAR(size.rate, rate, rate_tolerance);
    EXPECT_EQ(size.bits_per_key, bits_per_key);
    EXPECT_EQ(size.hashes, hashes);
    EXPECT_EQ(size.transmitted, compressed_bits_per_key(bits_per_key, hashes));
    constexpr std::uint64_t keys = 1'000'000;
    EXPECT_NEAR(
        size.rate / asymptotic_rate(static_cast<std::uint64_t>(bits_per_key) * keys, keys, hashes),
        1, 1e-12);
  }
}

TEST(compressed_bits_per_key, rise_with_the_memory_and_keep_their_digits) {
  for (std::uint64_t k = 1; k <= max_hashes; ++k) {
    double last = 0;
    for (double c = 0.2; c < 1e15; c *= 1.07) {
      const double transmitted = compressed_bits_per_key(c, k);
      // Below 1e-300 a dense filter transmits nothing that a double can tell.
      EXPECT_TRUE(transmitted > last || real(k) / c > 600) << c << ' ' << k;
      last = transmitted;
    }
  }
  // One ball a key in a huge array: log2 c + 1/ln 2, and the same for the few zeros of a dense one.
  EXPECT_NEAR(compressed_bits_per_key(1e15, 1), std::log2(1e15) + 1 / M_LN2, 1e-12);
  const double p = std::exp(-50.0);
  EXPECT_NEAR(compressed_bits_per_key(1, 50) / (p * (50 + 1) / M_LN2), 1, 1e-12);
}

TEST(compression, never_beats_and_slowly_reaches_a_half_to_the_transmitted_bits) {
  for (std::uint64_t k = 1; k <= max_hashes; ++k) {
    for (double c = 0.5; c < 1e12; c *= 3) {
      const auto size = compressed_filter(c, k);
      EXPECT_GE(size.rate, std::exp2(-size.transmitted) * (1 - 1e-12)) << c << ' ' << k;
    }
  }
  // With more memory the best rate falls, and its logarithm approaches the transmitted bits.
  double last = 0;
  for (const double limit : {4.0, 8.0, 16.0, 40.0}) {
    const auto size = best_compressed(limit, 1e15);
    const double used = -std::log2(size.rate) / limit;
    EXPECT_LT(used, 1);
    EXPECT_GT(used, M_LN2) << "what an uncompressed filter has";
    EXPECT_GT(used, last);
    last = used;
  }
  EXPECT_GT(last, 0.96);
}

TEST(best_compressed, finds_the_published_filters) {
  const auto sixteen = best_compressed(16, 48);
  EXPECT_EQ(sixteen.hashes, 3U);
  EXPECT_EQ(sixteen.bits_per_key, 48);
  EXPECT_NEAR(sixteen.rate, 2.22e-4, 5e-7);
  const auto eight = best_compressed(8, 100);
  EXPECT_EQ(eight.hashes, 1U);
  EXPECT_NEAR(eight.transmitted, 8, 1e-9);
  EXPECT_LT(eight.rate, 0.0108);
  // No memory to spare: the usual filter.
  EXPECT_EQ(best_compressed(16, 16).hashes, 11U);
}

// No k and no c on a fine grid is feasible and better.
TEST(best_compressed, is_the_best) {
  for (const double limit : {0.5, 3.0, 8.0, 16.0, 24.0}) {
    for (const double most : {1.0, 8.0, 30.0, 1000.0}) {
      const auto best = best_compressed(limit, most);
      EXPECT_LE(best.transmitted, limit);
      EXPECT_LE(best.bits_per_key, most);
      for (std::uint64_t k = 1; k <= max_hashes; ++k) {
        for (int step = 1; step <= 2000; ++step) {
          const auto size = compressed_filter(most * step / 2000, k);
          if (size.transmitted > limit) continue;
          EXPECT_GE(size.rate, best.rate * (1 - 1e-12)) << limit << ' ' << most << ' ' << k;
        }
      }
    }
  }
}

TEST(delta_bits_per_key, reproduces_the_published_figures) {
  EXPECT_NEAR(delta_bits_per_key(48, 3, 0.05), 2.49, 5e-3);
  EXPECT_NEAR(delta_bits_per_key(16, 11, 0.05), 3.42, 5e-3);
  EXPECT_EQ(delta_bits_per_key(16, 11, 0), 0);
  // All keys replaced: two independent filters differ in 2p(1-p) of their bits.
  const double p = std::exp(-11.0 / 16);
  EXPECT_NEAR(delta_bits_per_key(16, 11, 1), 16 * entropy(2 * p * (1 - p)), 1e-13);
}

// 400 pairs of filters of 500 keys, 20 % replaced: the share of bits that differ, and its entropy.
TEST(delta_bits_per_key, is_the_entropy_of_the_bits_that_differ) {
  constexpr int trials = 400;
  constexpr std::uint64_t m = 6000;
  constexpr std::uint64_t keys = 500;
  const auto thrower = ball_thrower::uniform(m, 3);
  std::mt19937_64 random(2002);
  testing::sample bits;
  for (int i = 0; i < trials; ++i) {
    simulated_bits before(m, 0);
    simulated_bits after(m, 0);
    thrower.insert(random, keys / 5 * 4, before, after);
    thrower.insert(random, keys / 5, before);
    thrower.insert(random, keys / 5, after);
    double differing = 0;
    for (std::size_t at = 0; at < m; ++at) differing += before[at] != after[at];
    bits.add(12 * entropy(differing / m));
  }
  EXPECT_TRUE(testing::plausible_mean(bits, delta_bits_per_key(12, 3, 0.2)));
}

TEST(compression, refuses_what_it_cannot_compute) {
  const auto refuses = [](const char* part, auto action) {
    return throws_error(errc::invalid, part, action);
  };
  EXPECT_TRUE(refuses("probability is -0.5; allowed: 0 to 1", [] { (void)entropy(-0.5); }));
  EXPECT_TRUE(refuses("probability is 1.5;", [] { (void)entropy(1.5); }));
  EXPECT_TRUE(refuses("probability is", [] { (void)entropy(std::nan("")); }));
  EXPECT_TRUE(refuses("bits_per_key is 0;", [] { (void)compressed_filter(0, 1); }));
  EXPECT_TRUE(refuses("hashes is 0;", [] { (void)compressed_bits_per_key(8, 0); }));
  EXPECT_TRUE(refuses("hashes is 65;", [] { (void)delta_bits_per_key(8, 65, 0.1); }));
  EXPECT_TRUE(refuses("replaced fraction is 1.5;", [] { (void)delta_bits_per_key(8, 6, 1.5); }));
  EXPECT_TRUE(refuses("transmitted bits per key is 0;", [] { (void)best_compressed(0, 8); }));
  EXPECT_TRUE(refuses("most bits per key is", [] { (void)best_compressed(8, INFINITY); }));
}

}  // namespace
}  // namespace bloomery::math
