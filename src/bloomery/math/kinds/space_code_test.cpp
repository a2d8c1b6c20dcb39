#include "bloomery/math/kinds/space_code.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "bloomery/math/numeric/real.hpp"
#include "sample.hpp"

namespace bloomery::math {
namespace {

// l - l(1-1/l)^F groups of l = 32, as Kumar et al. 2004 estimate by.
TEST(space_code, expected_full_groups_are_those_of_occupancy) {
  EXPECT_NEAR(expected_full_groups(32, 10, 0), 8.70, 0.005);
  EXPECT_NEAR(expected_full_groups(32, 20, 0), 15.04, 0.005);
  EXPECT_NEAR(expected_full_groups(32, 40, 0), 23.01, 0.005);
  EXPECT_NEAR(expected_full_groups(32, 110, 0), 31.03, 0.005);
}

TEST(space_code, the_law_of_full_groups_sums_to_one_and_has_that_mean) {
  for (const double noise : {0.0, 0.1, 0.6}) {
    double sum = 0;
    double mean = 0;
    for (std::uint64_t full = 0; full <= 16; ++full) {
      const double p = full_groups_probability(16, full, 9, noise);
      sum += p;
      mean += p * real(full);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(mean, expected_full_groups(16, 9, noise), 1e-10);
  }
}

TEST(space_code, estimates_invert_the_law) {
  for (const double noise : {0.0, 0.05, 0.3}) {
    for (const double count : {1.0, 10.0, 60.0}) {
      EXPECT_NEAR(mean_value_count(32, expected_full_groups(32, count, noise), noise), count, 1e-9);
    }
  }
  EXPECT_EQ(mean_value_count(32, 0, 0.1), 0);
  EXPECT_EQ(likeliest_count(32, 1, 0), 1U);
  EXPECT_EQ(likeliest_count(32, 0, 0.1), 0U);
  EXPECT_LT(likeliest_count(32, 10, 0.2), likeliest_count(32, 10, 0));
}

TEST(space_code, the_answer_of_one_resolution_follows_the_law_of_full_groups) {
  double mean = 0;
  double square = 0;
  for (std::uint64_t full = 0; full <= 16; ++full) {
    const double answer = mean_value_count(16, real(full), 0.1);
    mean += full_groups_probability(16, full, 25, 0.1) * answer;
    square += full_groups_probability(16, full, 25, 0.1) * answer * answer;
  }
  const count_moments found = mean_value_moments(16, 25, 0.1);
  EXPECT_NEAR(found.mean, mean, 1e-9);
  EXPECT_NEAR(found.variance, square - mean * mean, 1e-9);
}

// 50,000 keys whose 40 occurrences are thrown at 6 groups in each of three resolutions.
TEST(space_code, the_answer_of_several_resolutions_is_that_of_thrown_balls) {
  constexpr std::uint64_t groups = 6;
  constexpr std::uint64_t sampling = 3;
  constexpr double noise = 0.1;
  std::mt19937_64 random(23);
  std::bernoulli_distribution noisy(noise);
  const count_moments predicted = mean_value_moments(groups, 40, noise, 3, sampling);
  testing::sample answers;
  testing::sample squares;
  for (int key = 0; key < 50'000; ++key) {
    std::array<std::array<bool, groups>, 3> full{};
    for (int i = 0; i < 40; ++i) {
      for (auto& resolution : full) {
        resolution[random() % groups] = true;
        if (random() % sampling != 0) break;
      }
    }
    double scale = 1;
    double least = 0;
    for (std::size_t r = 0; r < 3; ++r, scale *= sampling) {
      std::uint64_t filled = 0;
      for (const bool own : full[r]) filled += std::uint64_t{own || noisy(random)};
      const double answer = std::max(least, scale * mean_value_count(groups, real(filled), noise));
      least = answer;
      if (filled == groups && r + 1 < 3) continue;
      answers.add(answer);
      squares.add((answer - predicted.mean) * (answer - predicted.mean));
      break;
    }
  }
  EXPECT_TRUE(testing::plausible_mean(answers, predicted.mean));
  EXPECT_TRUE(testing::plausible_mean(squares, predicted.variance));
}

}  // namespace
}  // namespace bloomery::math
