#include "bloomery/math/kinds/choices.hpp"

#include <cmath>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t million = 1'000'000;

TEST(choices, the_fewest_ones_are_an_order_statistic) {
  for (const std::uint64_t throws : {1U, 7U, 100U}) {
    for (const double zeros : {0.001, 0.5, 0.999}) {
      for (const std::uint64_t d : {1U, 2U, 64U}) {
        double sum = 0;
        for (std::uint64_t i = 1; i <= throws; ++i) {
          sum += std::pow(binomial_upper(i, throws, zeros), d);
        }
        EXPECT_NEAR(fewest_ones(throws, zeros, d), sum, 1e-10 * sum);
      }
    }
  }
  EXPECT_EQ(fewest_ones(7, 1, 2), 7);
  EXPECT_EQ(fewest_ones(7, 0, 2), 0);
  EXPECT_EQ(fewest_ones(0, 0.5, 2), 0);
  // The normal limit takes over smoothly: it is off by O(1) ones in thousands.
  EXPECT_NEAR(fewest_ones(4097, 0.4, 64) / 4097, fewest_ones(4096, 0.4, 64) / 4096, 1e-4);
}

// One set, or one candidate, is no choice: the standard filter, in the limit.
TEST(choices, one_choice_is_the_standard_filter) {
  for (const std::uint64_t k : {1U, 7U, 30U}) {
    EXPECT_NEAR(
        two_choice_rate(10 * million, million, k, 1) / asymptotic_rate(10 * million, million, k), 1,
        1e-7);
    EXPECT_NEAR(hash_choice_rate({10 * million, k, million / 4, 0}, million) /
                    asymptotic_rate(10 * million, million, k),
                1, 1e-6);
  }
}

TEST(choices, the_card_of_two_choices) {
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

TEST(choices, plans_are_the_smallest) {
  for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40}) {
    for (const double rate : {0.5, 0.01, 1e-12}) {
      const two_choice_size two = plan_two_choice(keys, rate, 2);
      EXPECT_LE(two.rate, rate);
      const auto fewer = static_cast<std::uint64_t>(real(two.bits - 1) * (1 - 1e-6));
      if (fewer > 0) {
        EXPECT_GT(two_choice_rate(fewer, keys, two.hashes, 2), rate);
      }
      const hash_choice_size one = plan_hash_choice(keys, rate);
      EXPECT_LE(hash_choice_rate(one, keys), rate);
      const auto less = static_cast<std::uint64_t>(real(one.bits - 1) * (1 - 1e-6));
      if (less > 0) {
        EXPECT_GT(hash_choice_rate({less, one.hashes, one.groups, one.choice_bits}, keys), rate);
      }
    }
  }
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "rate", [] { (void)plan_two_choice(max_keys, 0.01, 2); }));
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "rate", [] { (void)plan_hash_choice(max_keys, 0.01); }));
}

TEST(choices, the_card_of_hash_choice) {
  constexpr std::uint64_t m = 24 * million;
  const hash_choice_size four{m, 20, million / 4, 6};
  EXPECT_NEAR(hash_choice_rate(four, million), 1.03e-6, 2e-8);
  EXPECT_NEAR(hash_choice_rate({m, 18, million / 16, 6}, million), 3.3e-6, 2e-8);
  EXPECT_NEAR(exact_rate(m, million, 17), 9.84e-6, 5e-9);
  const std::uint64_t together = four.stored_bits();
  EXPECT_NEAR(exact_rate(together, million, best_hashes(together, million)), 4.8e-6, 3e-8);
  // The table of choices included it beats the plain filter below some 39 %, and loses above.
  for (const double rate : {0.35, 0.1, 0.01, 1e-4}) {
    const hash_choice_size size = plan_hash_choice(million, rate);
    EXPECT_LT(size.stored_bits(), plan_standard(million, rate).bits) << rate;
  }
  EXPECT_GT(plan_hash_choice(million, 0.4).stored_bits(), plan_standard(million, 0.4).bits);
}

// Fills at any load, however absurd, stay fills and rise with the keys.
TEST(choices, fills_are_shares) {
  for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{1000}, max_bits}) {
    double before = 0;
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, million, max_keys}) {
      const double fill = two_choice_fill(m, n, 64, 8);
      EXPECT_GE(fill, before);
      EXPECT_LE(fill, 1);
      before = fill;
      const double grouped = hash_choice_fill({m, 64, std::min(m, million), 8}, n);
      EXPECT_GE(grouped, 0);
      EXPECT_LE(grouped, 1);
    }
  }
}

}  // namespace
}  // namespace bloomery::math
