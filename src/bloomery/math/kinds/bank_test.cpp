#include "bloomery/math/kinds/bank.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// The binomial mean written out for a few keys, and as the loads of blocks have it.
TEST(thinned_rate, is_the_mean_over_loads) {
  double sum = 0;
  for (std::uint64_t load = 0; load <= 6; ++load) {
    const double ways =
        std::tgamma(7) / (std::tgamma(real(load) + 1) * std::tgamma(7 - real(load)));
    sum += ways * std::pow(0.3, load) * std::pow(0.7, 6 - load) * exact_rate(40, load, 3);
  }
  EXPECT_NEAR(thinned_rate(40, 6, 3, 0.3), sum, 1e-15);
  EXPECT_EQ(thinned_rate(40, 6, 3, 1), exact_rate(40, 6, 3));
  EXPECT_NEAR(thinned_rate(4000, 600, 5, 0.25), blocked_rate(4, 4000, 600, 5), 1e-12);
  EXPECT_NEAR(thinned_rate(4, 1000, 3, 0.5), 1, 1e-12);
  EXPECT_EQ(thinned_rate(40, 0, 3, 0.3), 0);
}

TEST(bank, plans_keep_the_rate) {
  for (const std::uint64_t classes : {1U, 2U, 13U, 1000U}) {
    for (const std::uint64_t keys : {1U, 300U, 100'000U}) {
      const bank_size size = plan_bank(keys, 0.01, classes);
      EXPECT_LE(bank_rate(size, keys), 0.01);
      if (size.bits > 1) {
        EXPECT_GT(bank_rate({size.bits - 1, size.hashes, classes}, keys), 0.01);
      }
    }
  }
  EXPECT_EQ(plan_bank(1000, 0.01, 1).bits, plan_standard(1000, 0.01).bits);
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "values", [] { (void)plan_bank(10, 0.1, 65'537); }));
}

TEST(bank, uneven_classes_are_planned_for_as_they_are) {
  const std::vector<value_load> loads{{0, 850}, {1, 100}, {2, 50}, {9, 50}};
  const bank_size size = plan_bank(loads, 0.01, 10);
  double none = 1;
  for (const value_load& load : loads) none *= 1 - exact_rate(size.bits, load.keys, size.hashes);
  EXPECT_NEAR(bank_rate(size, loads), 1 - none, 1e-12);
  EXPECT_LE(bank_rate(size, loads), 0.01);
  for (const std::uint64_t k : {size.hashes - 1, size.hashes, size.hashes + 1}) {
    EXPECT_GT(bank_rate({size.bits - 1, k, 10}, loads), 0.01) << k;
  }
  EXPECT_GT(bank_rate(plan_bank(1050, 0.01, 10), loads), 0.5) << "even classes would be another";
  const std::vector<value_load> one{{0, 1000}};
  EXPECT_EQ(plan_bank(one, 0.01, 1).bits, plan_standard(1000, 0.01).bits);
  EXPECT_LE(bank_rate({1, 1, 3}, loads), 1);
  EXPECT_EQ(bank_rate(size, std::span<const value_load>()), 0);
}

// The page's figures: bits a key of a million keys in this many classes at 1 %, to a tenth.
TEST(bank, bits_a_key) {
  const auto tenths = [](std::uint64_t classes) {
    return std::llround(real(plan_bank(1'000'000, 0.0099, classes).bits * classes) / 1e5);
  };
  EXPECT_EQ(tenths(1), 96);
  EXPECT_EQ(tenths(2), 111);
  EXPECT_EQ(tenths(16), 154);
  EXPECT_EQ(tenths(256), 212);
}

}  // namespace
}  // namespace bloomery::math
