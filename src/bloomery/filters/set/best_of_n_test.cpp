#include "bloomery/filters/set/best_of_n.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bloomery/math/kinds/best_of_n.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Every seed built by hand: the kept one has the fewest ones, the lowest seed of those that tie.
TEST(best_of_n, keeps_the_seed_with_the_fewest_ones) {
  constexpr std::uint64_t seeds = 30;
  constexpr std::uint64_t k = 4;
  std::set<std::uint64_t> kept;
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    const auto keys = numbered_digests(10 + trial, 12);
    std::uint64_t best = 0;
    std::uint64_t fewest = 1000;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      std::set<std::uint64_t> ones;
      for (const digest d : keys) {
        for (std::uint64_t i = 0; i < k; ++i) {
          ones.insert(hash::uniform_probes{90, seeds * k}.at(d, seed * k + i));
        }
      }
      if (ones.size() >= fewest) continue;
      fewest = ones.size();
      best = seed;
    }
    const auto filter = best_of_n_filter::build({90, k, seeds}, keys, {}, {}, 3);
    EXPECT_EQ(filter.cells().seed(), best);
    EXPECT_EQ(filter.cells().ones(), fewest);
    kept.insert(best);
  }
  EXPECT_GT(kept.size(), 5U);
}

// Jimeno et al. 2007 at 16 bits a key, k = 11. Rates as they stand, of 300 filters of 256 bits and
// 60 of 8192; the spread is taken from the sample.
TEST(best_of_n, gains_as_predicted) {
  struct row {
    std::uint64_t bits;
    std::uint64_t seeds;
    double simulated;  // apart from this library
    double noise;      // of that simulation
  };
  for (const row& r :
       {row{256, 1, 5.06e-4, 0.03}, row{256, 10, 2.61e-4, 0.01}, row{256, 100, 1.76e-4, 0.03},
        row{8192, 1, 4.57e-4, 0.01}, row{8192, 10, 4.13e-4, 0.01}, row{8192, 100, 3.86e-4, 0.01}}) {
    const std::uint64_t n = r.bits / 16;
    const std::uint64_t filters = r.bits == 256 ? 300 : (r.seeds == 100 ? 10 : 60);
    const double predicted = math::best_of_rate(r.bits, n, 11, r.seeds);
    EXPECT_NEAR(predicted / r.simulated, 1, r.noise) << r.bits << ' ' << r.seeds;
    sample rates;
    for (std::uint64_t i = 0; i < filters; ++i) {
      const auto filter =
          best_of_n_filter::build({r.bits, 11, r.seeds}, numbered_digests(100 + i, n));
      rates.add(filter.current_rate());
    }
    EXPECT_TRUE(plausible_mean(rates, predicted)) << r.bits << ' ' << r.seeds;
  }
}

TEST(best_of_n, seeds_that_were_not_tried_are_refused) {
  const auto filter = best_of_n_filter::build({640, 5, 8}, numbered_digests(1, 40));
  std::vector<std::byte> payload;
  for (const byte_view part : filter.payload()) {
    payload.insert(payload.end(), part.begin(), part.end());
  }
  ASSERT_EQ(payload[0], static_cast<std::byte>(filter.cells().seed()));
  const auto restore = [&](std::uint64_t items) {
    return best_of_n_filter::restore(filter.shape(), {{}, {}, items}, wire::copied(payload));
  };
  EXPECT_NO_THROW((void)restore(40));
  EXPECT_TRUE(throws_error(errc::corrupt, "no keys", [&] { (void)restore(0); }));
  payload[0] = std::byte{8};
  EXPECT_TRUE(throws_error(errc::corrupt, "seed 8 of 8", [&] { (void)restore(40); }));
}

}  // namespace
}  // namespace bloomery::testing
