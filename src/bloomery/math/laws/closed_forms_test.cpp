#include "bloomery/math/laws/closed_forms.hpp"

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// Christensen et al. eq. 8, the recursion that the closed form solves.
double by_recursion(std::uint64_t m, std::uint64_t balls, std::uint64_t occupied) {
  std::vector<double> state(m + 1);
  state[0] = 1;
  const auto size = static_cast<double>(m);
  for (std::uint64_t ball = 0; ball < balls; ++ball) {
    for (std::uint64_t i = m; i > 0; --i) {
      const auto full = static_cast<double>(i);
      state[i] = state[i] * full / size + state[i - 1] * (size - full + 1) / size;
    }
    state[0] = 0;
  }
  return state[occupied];
}

TEST(closed_forms, of_the_occupied_bits_solve_the_recursion) {
  for (const std::uint64_t m : {1U, 2U, 7U, 32U, 90U}) {
    for (const std::uint64_t balls : {0U, 1U, 5U, 24U, 150U}) {
      double sum = 0;
      for (std::uint64_t occupied = 0; occupied <= m; ++occupied) {
        const double chance = occupied_probability(m, balls, occupied);
        EXPECT_NEAR(chance, by_recursion(m, balls, occupied), 1e-13);
        sum += chance;
      }
      EXPECT_NEAR(sum, 1, 1e-13) << m << " " << balls;
    }
  }
}

// Both are the exact rate, which comes another way: m and n to where hundreds of digits cancel.
TEST(closed_forms, are_the_exact_rate) {
  for (const std::uint64_t m : {1U, 2U, 31U, 32U, 64U, 256U}) {
    for (const std::uint64_t k : {1U, 2U, 6U, 11U}) {
      for (const std::uint64_t n : {0U, 1U, 4U, 40U}) {
        const double exact = exact_rate(m, n, k);
        EXPECT_NEAR(closed_form_rate(m, n, k), exact, 1e-13 * exact) << m << " " << n << " " << k;
        EXPECT_NEAR(stirling_rate(m, n, k), exact, 1e-13 * exact) << m << " " << n << " " << k;
      }
    }
  }
}

TEST(closed_forms, are_of_small_filters_only) {
  EXPECT_TRUE(has_closed_form(closed_form_bits, closed_form_balls / 7, 7));
  EXPECT_FALSE(has_closed_form(closed_form_bits + 1, 1, 1));
  EXPECT_FALSE(has_closed_form(32, closed_form_balls / 7 + 1, 7));
  for (const auto rate : {closed_form_rate, stirling_rate}) {
    EXPECT_TRUE(throws_error(errc::invalid, "1 to 256", [&] { (void)rate(257, 1, 1); }));
    EXPECT_TRUE(throws_error(errc::invalid, "0 to 73", [&] { (void)rate(32, 74, 7); }));
  }
  EXPECT_TRUE(
      throws_error(errc::invalid, "0 to 512", [] { (void)occupied_probability(32, 513, 3); }));
}

}  // namespace
}  // namespace bloomery::math
