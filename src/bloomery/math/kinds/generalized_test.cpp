#include "bloomery/math/kinds/generalized.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(generalized, rate_limit_and_misses_of_one_shape) {
  const generalized_size size{4000, 3, 3};
  EXPECT_NEAR(generalized_rate(size, 300), 0.0033, 5e-5);  // of a filter that starts empty
  EXPECT_NEAR(generalized_limit(size), 0.0157, 5e-5);
  EXPECT_NEAR(generalized_misses(size, 299), 0.697, 5e-4);
  // The papers' exponents, the mean numbers of different bits, come out close by.
  const double q0 = 1 - std::pow(1 - 1.0 / 4000, 3);
  const double q1 = q0 * std::pow(1 - 1.0 / 4000, 3);
  const double papers = std::pow(q0 / (q0 + q1), 4000 * q0) * std::pow(q1 / (q0 + q1), 4000 * q1);
  EXPECT_NEAR(generalized_limit(size) / papers, 1, 2e-3);
}

// One zero and one one, so that a stranger has few cases: they are one bit, which must be zero, with
// 1/m, or two.
TEST(generalized, one_of_each_is_written_out) {
  const generalized_size size{10, 1, 1};
  const double ones = generalized_fill(size, 7);
  EXPECT_NEAR(generalized_rate(size, 7), (1 - ones) * (0.1 + 0.9 * ones), 1e-15);
  // A bit becomes zero with 1/10, one with 9/100.
  double expected = 0;
  for (int i = 0; i < 7; ++i) expected = expected * (1 - 0.19) + 0.09;
  EXPECT_NEAR(ones, expected, 1e-15);
  EXPECT_NEAR(generalized_limit_fill(size), 0.09 / 0.19, 1e-15);
}

// The mean of the fill gives its keys back; the limit is saturation, and more ones than that as well.
TEST(generalized, keys_are_told_by_the_fill) {
  const generalized_size size{100'000, 2, 3};
  for (const std::uint64_t keys : {0U, 1U, 100U, 10'000U, 30'000U}) {
    const auto ones = static_cast<std::uint64_t>(std::llround(1e5 * generalized_fill(size, keys)));
    const estimate told = generalized_keys(size, ones, 0.99);
    EXPECT_NEAR(told.value, real(keys), 0.01 * real(keys) + 0.5);
    EXPECT_LE(told.low, told.value);
    EXPECT_LE(told.value, told.high);
    EXPECT_FALSE(told.saturated);
  }
  EXPECT_TRUE(generalized_keys(size, 60'000).saturated);
  EXPECT_TRUE(generalized_keys(size, 100'000).saturated);
  EXPECT_TRUE(std::isinf(generalized_keys(size, 100'000).value));
}

// Drawn as keys would; 300 filters, of whose intervals one in a hundred may miss.
TEST(generalized, intervals_of_keys_cover_them) {
  const generalized_size size{2000, 2, 2};
  constexpr std::uint64_t keys = 300;
  std::mt19937_64 random(5);
  std::uniform_int_distribution<std::size_t> position(0, size.bits - 1);
  std::uint64_t missed = 0;
  for (int filter = 0; filter < 300; ++filter) {
    std::vector<bool> bits(size.bits);
    for (std::uint64_t key = 0; key < keys; ++key) {
      for (std::uint64_t i = 0; i < size.ones; ++i) bits[position(random)] = true;
      for (std::uint64_t i = 0; i < size.zeros; ++i) bits[position(random)] = false;
    }
    const auto ones = static_cast<std::uint64_t>(std::count(bits.begin(), bits.end(), true));
    const estimate told = generalized_keys(size, ones, 0.99);
    missed += std::uint64_t{told.low > keys || told.high < keys};
  }
  EXPECT_LE(missed, 12U);
}

TEST(generalized, nothing_is_missed_at_once_and_much_at_last) {
  const generalized_size size{500, 2, 5};
  EXPECT_NEAR(generalized_misses(size, 0), 0, 1e-14);
  double before = 0;
  for (const std::uint64_t age : {std::uint64_t{1}, std::uint64_t{50}, max_keys}) {
    EXPECT_GT(generalized_misses(size, age), before);
    before = generalized_misses(size, age);
  }
  // What has been forgotten is claimed as often as a stranger.
  EXPECT_NEAR(1 - before, generalized_limit(size), 1e-14);
  EXPECT_EQ(generalized_rate({1, 1, 1}, 5), 1);  // one bit, always zero: every key is
}

TEST(generalized, plans_are_the_smallest) {
  for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 36}) {
    for (const double rate : {0.5, 0.01, 1e-9}) {
      const generalized_size size = plan_generalized(keys, rate);
      const auto keeps = [&](std::uint64_t m) {
        const generalized_size other{m, size.zeros, size.ones};
        return generalized_rate(other, keys) <= rate &&
               generalized_misses(other, keys) <= planned_misses;
      };
      EXPECT_TRUE(keeps(size.bits));
      EXPECT_FALSE(keeps(size.bits - 1));
    }
  }
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "rate", [] { (void)plan_generalized(max_keys, 0.01); }));
}

}  // namespace
}  // namespace bloomery::math
