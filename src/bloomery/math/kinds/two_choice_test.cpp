#include "bloomery/math/kinds/two_choice.hpp"

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t million = 1'000'000;

// One set is no choice: the standard filter, in the limit.
TEST(two_choice, of_one_set_is_the_standard_filter) {
  for (const std::uint64_t k : {1U, 7U, 30U}) {
    EXPECT_NEAR(two_choice_rate(10 * million, million, k, 1) / exact_rate(10 * million, million, k),
                1, 1e-7);
  }
}

// Of few keys exactly, and of more nearly so, where the limit is off by 7 % at 20 keys.
TEST(two_choice, few_keys_have_the_exact_rate) {
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 64U}) {
    for (const std::uint64_t k : {1U, 5U, 8U}) {
      const std::uint64_t m = 10 * n;
      EXPECT_NEAR(two_choice_rate(m, n, k, 1) / exact_rate(m, n, k), 1, 1e-12) << n << ' ' << k;
    }
  }
  for (const std::uint64_t n : {65U, 100U, 1000U}) {
    EXPECT_NEAR(two_choice_rate(10 * n, n, 8, 1) / exact_rate(10 * n, n, 8), 1, 2e-4) << n;
  }
}

TEST(two_choice, the_best_hashes_and_where_it_wins) {
  const auto best = [](std::uint64_t c) {
    std::uint64_t k = 1;
    const auto rate = [&](std::uint64_t hashes) {
      return two_choice_rate(c * million, million, hashes, 2);
    };
    while (rate(k + 1) < rate(k)) ++k;
    return two_choice_size{c * million, k, rate(k)};
  };
  EXPECT_EQ(best(8).hashes, 7U);
  EXPECT_NEAR(best(8).rate, 0.02323, 5e-6);
  EXPECT_EQ(best(16).hashes, 13U);
  EXPECT_NEAR(best(16).rate, 3.93e-4, 5e-7);
  EXPECT_EQ(best(32).hashes, 24U);
  EXPECT_NEAR(best(32).rate, 1.285e-7, 1e-10);
  // It loses below some 10.5 bits a key and wins above.
  for (const std::uint64_t c : {4U, 6U, 8U, 10U}) {
    EXPECT_GT(best(c).rate, exact_rate(c * million, million, best_hashes(c * million, million)));
  }
  for (const std::uint64_t c : {11U, 12U, 16U, 32U}) {
    EXPECT_LT(best(c).rate, exact_rate(c * million, million, best_hashes(c * million, million)));
  }
  // The page's numbers: bits a key at which the plans cross.
  EXPECT_GT(plan_two_choice(million, 0.007, 2).bits, plan_standard(million, 0.007).bits);
  EXPECT_LT(plan_two_choice(million, 0.006, 2).bits, plan_standard(million, 0.006).bits);
}

TEST(two_choice, plans_are_the_smallest) {
  for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40}) {
    for (const double rate : {0.5, 0.01, 1e-12}) {
      const two_choice_size size = plan_two_choice(keys, rate, 2);
      EXPECT_LE(size.rate, rate);
      const auto fewer = static_cast<std::uint64_t>(real(size.bits - 1) * (1 - 1e-6));
      if (fewer > 0) {
        EXPECT_GT(two_choice_rate(fewer, keys, size.hashes, 2), rate);
      }
    }
  }
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "rate", [] { (void)plan_two_choice(max_keys, 0.01, 2); }));
}

// Fills at any load, however absurd, stay fills and rise with the keys.
TEST(two_choice, fills_are_shares) {
  for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{1000}, max_bits}) {
    double before = 0;
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, million, max_keys}) {
      const double fill = two_choice_fill(m, n, 64, 8);
      EXPECT_GE(fill, before);
      EXPECT_LE(fill, 1);
      before = fill;
    }
  }
}

}  // namespace
}  // namespace bloomery::math
