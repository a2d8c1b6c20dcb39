#include "bloomery/math/laws/semijoin.hpp"

#include <cmath>
#include <random>

#include "bloomery/core/error.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// The survey's example by hand: 900 keys, 1,800 rows that join of 200,000 rows of 20 bytes.
TEST(semijoin, costs_of_the_example) {
  EXPECT_DOUBLE_EQ(all_rows_bytes(200'000, 20), 4e6);
  EXPECT_DOUBLE_EQ(semijoin_bytes(900, 10, 1800, 20), 9000 + 36'000);
  EXPECT_DOUBLE_EQ(bloomjoin_bytes(1600, 0.002, 1800, 198'200, 20), 1600 + 36'000 + 7928);
}

// Keys of the even length cost as much, a byte more or less decides.
TEST(semijoin, the_even_length_parts_filter_from_keys) {
  const double even = even_key_bytes(1600, 0.002, 900, 198'200, 20);
  const double join = bloomjoin_bytes(1600, 0.002, 1800, 198'200, 20);
  EXPECT_DOUBLE_EQ(semijoin_bytes(900, even, 1800, 20), join);
  EXPECT_LT(semijoin_bytes(900, even - 1, 1800, 20), join);
  EXPECT_GT(semijoin_bytes(900, even + 1, 1800, 20), join);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "keys",
                                    [] { (void)even_key_bytes(1600, 0.002, 0, 1, 1); }));
}

// Of filters of the classic size, none at another rate sends fewer bytes.
TEST(semijoin, the_best_rate_is_the_least_of_the_cost) {
  const auto cost = [](double rate) {
    const double bits = 900 * std::log2(1 / rate) / std::log(2);
    return bloomjoin_bytes(bits / 8, rate, 1800, 198'200, 20);
  };
  const double best = best_join_rate(900, 198'200, 20);
  EXPECT_GT(best, 0);
  for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
    EXPECT_GT(cost(best * factor), cost(best)) << factor;
  }
  // With hardly a stranger's row to spare, no filter is worth its bytes.
  EXPECT_EQ(best_join_rate(900, 10, 20), 1);
  EXPECT_EQ(best_join_rate(900, 0, 20), 1);
}

// A filter of fewer bits for each halving of its rate is worth a lower one.
TEST(semijoin, the_best_rate_follows_the_size_of_the_filter) {
  const auto cost = [](double rate) {
    return bloomjoin_bytes(900 * std::log2(1 / rate) / 8, rate, 1800, 198'200, 20);
  };
  const double best = best_join_rate(900, 198'200, 20, least_bits_a_halving);
  EXPECT_LT(best, best_join_rate(900, 198'200, 20));
  for (const double factor : {0.5, 0.99, 1.01, 2.0}) EXPECT_GT(cost(best * factor), cost(best));
}

// 10^4 ids of 128 bits on either side, none in common: the filter's 8.57 bits and the false ids together are a
// twelfth of the list (Broder-Mitzenmacher 5.3).
TEST(semijoin, lists_of_ids_take_twelve_times_as_many_bits) {
  const double rate = best_join_rate(10'000, 10'000, 16);
  const double filter = join_filter_bytes(10'000, rate);
  EXPECT_NEAR(8 * filter / 10'000, 8.57, 0.005);
  EXPECT_NEAR(all_rows_bytes(10'000, 16) / bloomjoin_bytes(filter, rate, 0, 10'000, 16), 12.0,
              0.05);
}

// Keys of 1 to 3 rows, some of which join, and a filter that lets others through by chance: the interval has
// the truth at least as often as it says, and the value is right on average.
TEST(semijoin, rows_that_join_are_estimated) {
  constexpr double rate = 0.05;
  constexpr double confidence = 0.9;
  constexpr int trials = 4000;
  std::mt19937_64 random(1);
  std::bernoulli_distribution passes(rate);
  std::uint64_t covered = 0;
  double sum = 0;
  constexpr std::uint64_t true_rows = 60;  // 30 keys of 1, 2, 3 rows
  for (int trial = 0; trial < trials; ++trial) {
    std::uint64_t rows = 0;
    std::uint64_t passed = 0;
    double squares = 0;
    for (std::uint64_t key = 0; key < 1030; ++key) {
      const std::uint64_t of_key = 1 + key % 3;
      rows += of_key;
      squares += static_cast<double>(of_key * of_key);
      if (key < 30 || passes(random)) passed += of_key;
    }
    const estimate found = joined_rows(rows, passed, squares, rate, confidence);
    covered += std::uint64_t{found.low <= true_rows && true_rows <= found.high};
    sum += found.value;
  }
  EXPECT_GE(covered, static_cast<std::uint64_t>(trials * confidence));
  // One trial's standard deviation is sqrt(rate squares / (1 - rate)), below 16: five of the mean's.
  EXPECT_NEAR(sum / trials, true_rows, 5 * 16 / std::sqrt(trials));
  EXPECT_EQ(joined_rows(100, 0, 100, rate).high, 0);
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "passed", [] { (void)joined_rows(1, 2, 1, rate); }));
}

}  // namespace
}  // namespace bloomery::math
