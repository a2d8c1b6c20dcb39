#include "bloomery/math/kinds/attenuated.hpp"

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(attenuated_math, levels_err_apart) {
  const double two = exact_rate(500, 30, 5);
  const double one = exact_rate(500, 31, 5);
  EXPECT_NEAR(attenuated_rate(500, 5, 3, 91), 1 - (1 - two) * (1 - two) * (1 - one), 1e-15);
  EXPECT_EQ(attenuated_rate(500, 5, 1, 91), exact_rate(500, 91, 5));
  EXPECT_EQ(attenuated_rate(500, 5, 4, 0), 0);
}

TEST(attenuated_math, of_uneven_levels_is_that_of_their_keys) {
  const std::vector<value_load> loads{{0, 90}, {2, 10}};
  const double more = exact_rate(500, 90, 5);
  const double fewer = exact_rate(500, 10, 5);
  EXPECT_NEAR(attenuated_rate(500, 5, 3, loads), 1 - (1 - more) * (1 - fewer), 1e-15);
  EXPECT_LE(plan_attenuated(3, loads, 0.01).rate, 0.01);
}

TEST(attenuated_math, plans_keep_their_rate) {
  for (const std::uint64_t levels : {1U, 3U, 13U, 64U}) {
    for (const std::uint64_t keys : {1U, 20U, 2000U, 1'000'000U}) {
      const standard_size size = plan_attenuated(levels, keys, 0.01);
      EXPECT_LE(size.rate, 0.01);
    }
  }
  EXPECT_EQ(plan_attenuated(1, 1000, 0.01).bits, plan_standard(1000, 0.01).bits);
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "keys", [] { (void)plan_attenuated(3, 0, 0.1); }));
}

}  // namespace
}  // namespace bloomery::math
