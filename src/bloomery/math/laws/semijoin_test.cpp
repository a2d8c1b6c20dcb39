#include "bloomery/math/laws/semijoin.hpp"

#include <cmath>

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

}  // namespace
}  // namespace bloomery::math
