#include "bloomery/math/kinds/time_decaying.hpp"

#include <cmath>
#include <random>

#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// P(S < 1) for S the sum of what is left of marks that come with probability p: simulated, one sample
// each thousand arrivals, against e^(-γθ)/Γ(1+θ); half-lives of 200 arrivals are many.
TEST(time_decaying, remains_add_up_as_dickman_says) {
  constexpr double mark = 0.003;
  constexpr double half_life = 200;
  const double step = std::exp2(-1 / half_life);
  const double theta = mark * half_life / std::log(2.0);
  std::mt19937_64 random(2);
  std::bernoulli_distribution marked(mark);
  double sum = 0;
  std::uint64_t below = 0;
  constexpr std::uint64_t samples = 4000;
  for (std::uint64_t t = 0; t < samples * 1000; ++t) {
    sum = sum * step + real(marked(random));
    if (t % 1000 == 999) below += std::uint64_t{sum < 1};
  }
  const double law = std::exp(-0.57721566490153286 * theta) / std::tgamma(1 + theta);
  EXPECT_TRUE(testing::plausible_count(below, samples, law));
  // The same law in time_decaying_rate: one hash, so that the rate is the fill.
  constexpr std::uint64_t cells = 1'000'000;
  constexpr double keys = 500'000;
  const double crowd = keys / cells / (4 * std::log(2.0));
  const double fill = 1 - std::exp(keys * std::log1p(-1.0 / cells)) *
                              std::exp(-0.57721566490153286 * crowd) / std::tgamma(1 + crowd);
  EXPECT_NEAR(time_decaying_rate({cells, 1}, keys, 4, true), fill, 1e-5);
}

TEST(time_decaying, plans_keep_the_rate_for_ever_and_are_tight) {
  const double half_lives = real(planned_half_lives);
  for (const std::uint64_t window : {1U, 2U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6, 1e-12}) {
      const auto keys = real(window);
      time_decay size = plan_time_decaying(window, rate, half_lives);
      EXPECT_LE(time_decaying_rate(size, keys, half_lives, true), rate);
      EXPECT_GE(time_decaying_rate(size, keys, half_lives, true),
                time_decaying_rate(size, keys, half_lives, false));
      --size.cells;
      EXPECT_TRUE(size.cells == 0 || time_decaying_rate(size, keys, half_lives, true) > rate);
    }
  }
  EXPECT_TRUE(testing::throws_error(
      errc::limit, "window", [] { (void)plan_time_decaying(std::uint64_t{1} << 47, 1e-9, 8); }));
}

}  // namespace
}  // namespace bloomery::math
