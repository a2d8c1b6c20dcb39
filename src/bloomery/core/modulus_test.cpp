#include "bloomery/core/modulus.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bloomery::core {
namespace {

void expect_remainders(std::uint64_t m, std::mt19937_64& random) {
  SCOPED_TRACE(m);
  const modulus by(m);
  ASSERT_EQ(by.value(), m);
  // Around the multiples, where a quotient that is one off shows, and at both ends.
  const std::uint64_t last = UINT64_MAX / m * m;
  for (const std::uint64_t multiple : {std::uint64_t{0}, m, last / 2 / m * m, last - m, last}) {
    for (std::uint64_t x = multiple - 2; x != multiple + 3; ++x) {
      ASSERT_EQ(by.of(x), x % m) << x;
    }
  }
  for (const std::uint64_t x : {UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63}) {
    ASSERT_EQ(by.of(x), x % m) << x;
  }
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t x = random();
    ASSERT_EQ(by.of(x), x % m) << x;
  }
}

TEST(modulus, gives_what_a_division_gives) {
  std::mt19937_64 random(1);
  for (std::uint64_t m = 1; m <= 1000; ++m) expect_remainders(m, random);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t m : {power - 1, power, power + 1, power | (random() & (power - 1))}) {
      if (m != 0) expect_remainders(m, random);
    }
  }
  expect_remainders(UINT64_MAX, random);
  expect_remainders(UINT64_MAX - 1, random);
}

TEST(modulus, is_one_unless_told) {
  EXPECT_EQ(modulus().value(), 1U);
  EXPECT_EQ(modulus().of(UINT64_MAX), 0U);
}

}  // namespace
}  // namespace bloomery::core
