#include "bloomery/math/kinds/age_partitioned.hpp"

#include <cmath>

#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Every outcome of ten events, weighed.
TEST(age_partitions, runs_are_counted_right) {
  for (const bool gaps : {false, true}) {
    std::vector<double> events(10);
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i] = gaps && i % 5 == 3 ? 0 : 0.2 + 0.07 * real(i);
    }
    for (std::uint64_t run = 1; run <= 11; ++run) {
      double sum = 0;
      for (unsigned outcome = 0; outcome < 1U << events.size(); ++outcome) {
        double weight = 1;
        std::uint64_t length = 0;
        bool found = false;
        for (std::size_t i = 0; i < events.size(); ++i) {
          const bool happens = (outcome >> i & 1) != 0;
          weight *= happens ? events[i] : 1 - events[i];
          length = happens ? length + 1 : 0;
          found |= length >= run;
        }
        if (found) sum += weight;
      }
      EXPECT_NEAR(run_probability(events, run), sum, 1e-14) << run;
    }
  }
}

TEST(age_partitions, the_first_generation_is_a_partitioned_filter) {
  const age_partitions ring{200, 4, 6, 50};
  for (const std::uint64_t n : {1U, 20U, 50U}) {
    EXPECT_NEAR(age_partitioned_rate(ring, n), std::pow(hit_probability(200, real(n)), 4), 1e-15);
  }
  EXPECT_EQ(age_partitioned_rate(ring, 0), 0);
  EXPECT_GT(age_partitioned_rate(ring, 51), age_partitioned_rate(ring, 50));
}

TEST(age_partitions, a_plan_is_tight_and_never_exceeded) {
  for (const std::uint64_t window : {1U, 2U, 20U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6, 1e-12}) {
      auto size = plan_age_partitions(window, rate);
      EXPECT_GE(size.generations * size.generation + 1, window);
      EXPECT_LE(size.rate, rate);
      for (std::uint64_t n = 1; n < 5 * window; n += 1 + window / 9) {
        EXPECT_LE(age_partitioned_rate(size, n), size.rate * (1 + 1e-12));
      }
      --size.slice_bits;
      EXPECT_TRUE(size.slice_bits == 0 || age_partitioned_peak(size) > rate);
    }
  }
}

// The page's 21.2 bits a key at 1 %, against 9.6 for a filter that never forgets.
TEST(age_partitions, memory_at_one_percent) {
  const auto size = plan_age_partitions(1'000'000, 0.01);
  EXPECT_EQ(std::llround(real(size.slices() * size.slice_bits) / 1e5), 212);
}

TEST(age_partitions, what_no_filter_does_is_refused) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_age_partitions(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_age_partitions(9, 1); }));
  EXPECT_TRUE(throws_error(errc::limit, "window of",
                           [] { (void)plan_age_partitions(std::uint64_t{1} << 47, 1e-9); }));
}

}  // namespace
}  // namespace bloomery::math
