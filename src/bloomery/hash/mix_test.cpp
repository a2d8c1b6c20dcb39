#include "bloomery/hash/mix.hpp"

#include <bit>
#include <random>
#include <vector>

#include "testing.hpp"

namespace bloomery::hash {
namespace {

// The first outputs of SplitMix64 with seed 1234567, as published with the generator.
TEST(mix, is_the_finaliser_of_splitmix64) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
        16408922859458223821U}) {
    state += golden;
    EXPECT_EQ(mix(state), expected);
  }
}

// Flipping one input bit flips each output bit half of the time: 64 × 64 counts of 2000 trials.
TEST(mix, avalanches) {
  constexpr std::uint64_t trials = 2000;
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> flips(std::size_t{64} * 64, 0);
  for (std::uint64_t i = 0; i < trials; ++i) {
    const std::uint64_t x = random();
    for (std::size_t in = 0; in < 64; ++in) {
      std::uint64_t changed = mix(x) ^ mix(x ^ std::uint64_t{1} << in);
      for (; changed != 0; changed &= changed - 1) {
        ++flips[in * 64 + static_cast<std::size_t>(std::countr_zero(changed))];
      }
    }
  }
  for (const std::uint64_t count : flips) {
    EXPECT_TRUE(testing::plausible_count(count, trials, 0.5));
  }
}

TEST(reduce, covers_the_range_in_order) {
  EXPECT_EQ(reduce(0, 10), 0U);
  EXPECT_EQ(reduce(~std::uint64_t{0}, 10), 9U);
  EXPECT_EQ(reduce(std::uint64_t{1} << 63, 10), 5U);
  EXPECT_EQ(reduce(~std::uint64_t{0}, 1), 0U);
  EXPECT_EQ(reduce(~std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0} - 1);
  EXPECT_EQ(reduce(std::uint64_t{3} << 62, std::uint64_t{1} << 40), std::uint64_t{3} << 38);
}

TEST(reduce, commutes_with_folding) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t factor = 1 + random() % 100;
    const std::uint64_t smaller = 1 + (random() >> (24 + random() % 40));
    const std::uint64_t range = smaller * factor;
    for (const std::uint64_t x : {random(), std::uint64_t{0}, ~std::uint64_t{0}}) {
      ASSERT_EQ(reduce(x, range) / factor, reduce(x, smaller))
          << x << ' ' << range << ' ' << factor;
    }
    // Just at the edges between two cells, where a rounding slip would show.
    const auto edge =
        static_cast<std::uint64_t>((static_cast<core::uint128>(random() % range) << 64) / range);
    for (const std::uint64_t x : {edge - 1, edge, edge + 1}) {
      ASSERT_EQ(reduce(x, range) / factor, reduce(x, smaller))
          << x << ' ' << range << ' ' << factor;
    }
  }
}

}  // namespace
}  // namespace bloomery::hash
