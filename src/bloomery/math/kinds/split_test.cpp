#include "bloomery/math/kinds/split.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// Key by key: each is stored unless claimed, with the expected rates as they stand.
TEST(choosy_rows, agree_with_a_walk_over_the_keys) {
  for (const std::uint64_t keys : {50U, 130U, 140U, 500U, 700U}) {
    constexpr std::uint64_t m = 400;
    constexpr std::uint64_t k = 3;
    constexpr double row_keys = 133;
    double unclaimed = 1;
    double come = 0;
    double stored = 0;
    for (std::uint64_t i = 0; i < keys; ++i) {
      if (stored >= row_keys) {
        unclaimed *= 1 - exact_rate(m, static_cast<std::uint64_t>(come), k);
        come = stored = 0;
      }
      stored += unclaimed * (1 - exact_rate(m, static_cast<std::uint64_t>(come), k));
      come += unclaimed;
    }
    const double walked =
        1 - unclaimed * (1 - exact_rate(m, static_cast<std::uint64_t>(std::llround(come)), k));
    EXPECT_NEAR(choosy_rows_rate(m, k, 133, keys) / walked, 1, 0.03) << keys;
  }
}

// The closed form, which stands in for the exact rate while a row fills, claims as many keys as that.
TEST(choosy_rows, may_count_what_they_claim_by_the_closed_form) {
  for (const double rate : {0.5, 0.1, 0.01, 1e-4, 1e-6}) {
    for (const std::uint64_t keys : {8U, 16U, 64U, 250U}) {
      const standard_size size = plan_standard(keys, rate);
      double difference = 0;
      for (std::uint64_t n = 0; n <= keys; ++n) {
        difference +=
            second_order_rate(size.bits, n, size.hashes) - exact_rate(size.bits, n, size.hashes);
      }
      EXPECT_LT(std::abs(difference), 2e-5 * static_cast<double>(keys)) << rate << ", " << keys;
    }
  }
}

TEST(choosy_rows, are_planned_within_the_rate) {
  for (const double rate : {0.3, 0.01, 1e-5}) {
    const row_size row = plan_choosy_rows(4, 250, rate);
    const double reached = choosy_rows_rate(row.bits, row.hashes, 250, 1000);
    EXPECT_LE(reached, rate);
    EXPECT_GT(reached, 0.98 * rate) << "not larger than needed";
  }
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_choosy_rows(4, 10, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_choosy_rows(4, 0, 0.1); }));
}

// Rows that claim everything before they are full, and rows that no keys will ever fill.
TEST(choosy_rows, beyond_reason_have_a_rate_too) {
  EXPECT_EQ(choosy_rows_rate(1, 1, 2, 20), 1);
  EXPECT_EQ(choosy_rows_rate(1, 1, 2, 0), 0);
  EXPECT_GT(choosy_rows_rate(65, 64, 100, 20), 0.999);
  EXPECT_GT(choosy_rows_rate(64, 64, 5, 1000), 0.999);
  EXPECT_GT(choosy_rows_rate(100, 3, max_keys, max_keys), 0.999);
}

}  // namespace
}  // namespace bloomery::math
