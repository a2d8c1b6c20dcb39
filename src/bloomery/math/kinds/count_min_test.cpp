#include "bloomery/math/kinds/count_min.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

TEST(count_min, sizes_are_the_papers) {
  const count_min_size size = count_min_for(0.01, 0.01);
  EXPECT_EQ(size.width, 272U);
  EXPECT_EQ(size.depth, 5U);
  EXPECT_LE(count_min_epsilon(272), 0.01);
  EXPECT_GT(count_min_epsilon(271), 0.01);
  EXPECT_LE(count_min_delta(5), 0.01);
  EXPECT_GT(count_min_delta(4), 0.01);
  EXPECT_EQ(count_min_for(0.5, 0.99).depth, 1U);
}

TEST(count_min, refuses_what_no_sketch_can_do) {
  EXPECT_TRUE(throws_error(errc::invalid, "epsilon", [] { (void)count_min_for(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "epsilon", [] { (void)count_min_for(NAN, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "delta", [] { (void)count_min_for(0.1, 1); }));
  EXPECT_TRUE(throws_error(errc::limit, "width", [] { (void)count_min_for(1e-18, 0.1); }));
  EXPECT_TRUE(throws_error(errc::limit, "depth", [] { (void)count_min_for(0.1, 1e-30); }));
}

TEST(count_min, excess_is_epsilon_where_the_confidence_is_one_less_delta) {
  EXPECT_NEAR(count_min_excess(272, 5, 1 - count_min_delta(5)) / count_min_epsilon(272), 1, 1e-12);
  EXPECT_DOUBLE_EQ(count_min_excess(100, 1, 0.5), 0.02);
}

// One row, and every other key as heavy as what is lacking: Markov's bound is the union bound then.
TEST(count_min, false_heavy_keys_are_bounded_by_rows_and_lack) {
  const std::vector<std::uint64_t> counts{10, 5, 5, 1};
  const double expected = std::pow(16.0 / (100 * 5), 2) * 2 + std::pow(20.0 / (100 * 9), 2);
  EXPECT_DOUBLE_EQ(count_min_false_heavy(counts, 10, 100, 2), expected);
  EXPECT_EQ(count_min_false_heavy(counts, 1, 100, 2), 0);
  EXPECT_EQ(count_min_false_heavy(counts, 11, 1, 2), 4);  // no more than certain
}

}  // namespace
}  // namespace bloomery::math
