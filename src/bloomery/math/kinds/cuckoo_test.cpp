#include "bloomery/math/kinds/cuckoo.hpp"

#include <cmath>
#include <random>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// 1-(1-2^-F)^(2bα) of Fan et al. 2014 at load α = .95 of buckets of b = 4: F=8 .0293, F=12 .00185.
TEST(cuckoo, rates_are_those_of_the_paper) {
  constexpr std::uint64_t buckets = std::uint64_t{1} << 20;
  constexpr auto keys = static_cast<std::uint64_t>(0.95 * 4 * buckets);
  EXPECT_NEAR(cuckoo_rate({buckets, 4, 8}, keys), 0.0293, 1e-4);
  EXPECT_NEAR(cuckoo_rate({buckets, 4, 12}, keys), 0.00185, 1e-5);
  EXPECT_NEAR(cuckoo_rate({buckets, 4, 12}, keys), 1 - std::pow(1 - 1.0 / 4095, 7.6), 1e-6);
}

// Cain, Sanders, Wormald 2007; Fernholz, Ramachandran 2007.
TEST(cuckoo, thresholds_are_the_published_ones) {
  EXPECT_NEAR(cuckoo_threshold(2), 0.897, 1e-3);
  EXPECT_NEAR(cuckoo_threshold(3), 0.959, 1e-3);
  EXPECT_NEAR(cuckoo_threshold(4), 0.980, 1e-3);
}

// Two buckets: everything fits. Four of 2: the bound is a bound on the exact probability that some
// pair, one even and one odd of four, is chosen by 5 of n keys, or three buckets by 7.
TEST(cuckoo, bounds_small_tables) {
  EXPECT_EQ(cuckoo_failure_bound({2, 4, 12}, 8), 0);
  EXPECT_EQ(cuckoo_failure_bound({2, 4, 12}, 9), 1);
  EXPECT_EQ(cuckoo_capacity({2, 4, 12}), 8U);
  EXPECT_EQ(cuckoo_failure_bound({4, 2, 12}, 4), 0);
  EXPECT_GE(cuckoo_failure_bound({4, 2, 12}, 5), any_counter_tail(4, 5, 5));
}

TEST(cuckoo, capacity_grows_with_everything) {
  for (std::uint64_t entries = min_entries; entries <= max_entries; ++entries) {
    std::uint64_t before = 0;
    for (const std::uint64_t buckets : {2U, 4U, 30U, 300U, 1024U, 1500U, 4094U, 4096U, 1U << 20}) {
      const std::uint64_t now = cuckoo_capacity({buckets, entries, 14});
      EXPECT_GE(now, before) << entries << ", " << buckets;
      EXPECT_LE(now, entries * buckets);
      EXPECT_LE(cuckoo_capacity({buckets, entries, 3}), now);
      before = now;
    }
  }
  EXPECT_NEAR(real(cuckoo_capacity({1 << 20, 4, 12})) / (4 << 20), 0.95, 1e-3);
}

// Capacities are told from a few sizes of sets, and from what is known of other tables: the whole sum agrees.
TEST(cuckoo, capacity_is_where_the_bound_breaks) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t buckets = i % 2 == 0 ? 1024 : 2 * (2 + random() % 510);
    const cuckoo_size size{buckets, min_entries + random() % (max_entries - min_entries + 1),
                           4 + random() % 12};
    const std::uint64_t keys = cuckoo_capacity(size);
    const auto shows = [&] {
      return ::testing::Message() << size.buckets << ", " << size.entries << ", "
                                  << size.fingerprint_bits << ": " << keys;
    };
    EXPECT_LE(cuckoo_failure_bound(size, keys), planned_failure) << shows();
    if (keys == size.entries * size.buckets) continue;
    EXPECT_GT(cuckoo_failure_bound(size, keys + 1), planned_failure) << shows();
  }
}

TEST(cuckoo, plans_keep_rate_and_room_and_are_small) {
  for (const std::uint64_t keys : {1U, 2U, 10U, 20U, 77U, 1000U, 14'000U, 30'000U, 1'000'000U}) {
    for (const double rate : {0.9, 0.3, 0.01, 1e-5, 1e-8}) {
      const cuckoo_size size = plan_cuckoo(keys, rate, 128);
      EXPECT_LE(cuckoo_rate(size, keys), rate) << keys;
      EXPECT_GE(cuckoo_capacity(size), keys) << rate;
      EXPECT_LE(size.entries * size.fingerprint_bits, 128U);
      if (size.buckets == 2) continue;
      cuckoo_size less = size;
      less.buckets -= 2;
      EXPECT_TRUE(cuckoo_rate(less, keys) > rate || cuckoo_capacity(less) < keys)
          << keys << " keys at " << rate;
    }
  }
  const cuckoo_size size = plan_cuckoo(1'000'000, 0.001, 128);
  EXPECT_LT(real(size.buckets * size.entries * size.fingerprint_bits), 13.7e6);
}

TEST(cuckoo, refuses_what_it_cannot_do) {
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_cuckoo(0, 0.1, 128); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_cuckoo(9, 0, 128); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_cuckoo(9, NAN, 128); }));
  EXPECT_TRUE(throws_error(errc::limit, "32-bit fingerprints",
                           [] { (void)plan_cuckoo(1'000'000, 1e-12, 128); }));
  EXPECT_TRUE(throws_error(errc::limit, "bits", [] { (void)plan_cuckoo(max_keys, 0.01, 128); }));
  EXPECT_TRUE(throws_error(errc::invalid, "entries", [] { (void)cuckoo_rate({2, 9, 8}, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "entries", [] { (void)cuckoo_threshold(1); }));
}

}  // namespace
}  // namespace bloomery::math
