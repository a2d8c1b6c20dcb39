#include "bloomery/math/kinds/counter_braids.hpp"

#include "bloomery/math/laws/peeling.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(braids, plans_keep_their_rate_with_the_fewest_counters) {
  for (const std::uint64_t keys : {1U, 2U, 30U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6}) {
      const braid_size size = plan_braids(keys, rate);
      EXPECT_LE(braid_rate(size, keys), rate);
      EXPECT_GE(core_probability(size.first - 1, keys), 0.9 * rate * (keys < 2 ? 0 : 1));
    }
  }
  const std::uint64_t many = plan_braids(1'000'000, 0.01).first;
  EXPECT_GT(many, 1'221'800U) << "below the threshold nothing is certain";
  EXPECT_LT(many, 1'520'000U);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "keys", [] { (void)plan_braids(0, 0.1); }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "rate", [] { (void)plan_braids(9, 1); }));
}

}  // namespace
}  // namespace bloomery::math
