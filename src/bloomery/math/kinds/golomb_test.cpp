#include "bloomery/math/kinds/golomb.hpp"

#include <cmath>

#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// Bits a value at a rate of 2^-j: the limits of the mean length of geometric gaps, and BIP 158's
// choice.
TEST(golomb, costs_what_geometric_gaps_do) {
  for (const int j : {7, 10, 20}) {
    const auto r = static_cast<std::uint64_t>(j);
    const double gap = std::ldexp(1, j);
    EXPECT_NEAR(rice_bits_per_value(gap, r), j + 1.582, 1e-3);
    EXPECT_NEAR(rice_bits_per_value(gap, r - 1), j + 1.5415, 1e-3);
    EXPECT_EQ(best_rice_bits(gap), r - 1);
  }
  EXPECT_NEAR(rice_bits_per_value(784'931, 19), 21.05, 0.005);
  EXPECT_EQ(best_rice_bits(784'931), 19U);
  EXPECT_EQ(best_rice_bits(1), 0U);
}

// All sets of two keys in two sections of three values, codes written out.
TEST(golomb, expected_length_is_the_mean_of_all_cases) {
  for (std::uint64_t rice = 0; rice < 2; ++rice) {
    const golomb_size size{2, 3, rice, 0};
    const auto code = [&](unsigned gap) { return (gap >> rice) + 1 + static_cast<unsigned>(rice); };
    double sum = 0;
    for (unsigned a = 0; a < 6; ++a) {
      for (unsigned b = 0; b < 6; ++b) {
        const unsigned low = std::min(a, b);
        const unsigned high = std::max(a, b);
        sum += code(low % 3);
        if (high != low) sum += code(high / 3 == low / 3 ? high - low - 1 : high % 3);
      }
    }
    EXPECT_NEAR(golomb_code_bits(size, 2), sum / 36, 1e-12) << rice;
  }
}

// One key anywhere in 256 values: quotients 0 to 31 in unary, all others as 32 ones and 8 bits.
TEST(golomb, long_quotients_are_cut) {
  EXPECT_NEAR(golomb_code_bits({1, 256, 0, 0}, 1), (32.0 * 33 / 2 + 224.0 * 40) / 256, 1e-9);
}

TEST(golomb, plans_keep_the_rate_and_have_room) {
  for (const double rate : {0.9, 0.5, 0.01, 1e-6, 1e-12}) {
    for (const std::uint64_t keys : {1U, 20U, 1000U, 1'000'000U}) {
      const golomb_size size = plan_golomb(keys, rate);
      EXPECT_LE(golomb_rate(size, keys), rate);
      EXPECT_LE(golomb_code_bits(size, keys), real(size.code_bits));
      golomb_size smaller = size;
      if (--smaller.width > 0) {
        EXPECT_GT(golomb_rate(smaller, keys), rate * (1 - 1e-9));
      }
    }
  }
  const double room = real(plan_golomb(1'000'000, 0.01).code_bits) / 1e6;
  EXPECT_LT(room, rice_bits_per_value(100, best_rice_bits(100)) + 0.01);
  EXPECT_EQ(golomb_rate(plan_golomb(10, 0.5), 0), 0);
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_golomb(0, 0.5); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_golomb(1, 1); }));
  EXPECT_NO_THROW((void)plan_golomb(std::uint64_t{1} << 40, 0.01));
  EXPECT_TRUE(
      throws_error(errc::limit, "bits", [] { (void)plan_golomb(std::uint64_t{1} << 48, 0.01); }));
}

}  // namespace
}  // namespace bloomery::math
