#include "bloomery/math/laws/reconciliation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "bloomery/math/laws/peeling.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Yang et al.: 1.35 symbols a difference at this density.
TEST(reconciliation, the_overhead_of_the_paper) {
  EXPECT_NEAR(rateless_overhead(), 1.35, 0.005);
}

// Against keys that are thrown in by chance: the mean of many estimates is the number of keys.
TEST(reconciliation, the_estimate_is_right_on_average) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  constexpr int trials = 400;
  constexpr int symbols = 64;
  for (const auto& [ours, theirs] : {std::pair{30, 0}, std::pair{100, 100}, std::pair{10, 200}}) {
    double sum = 0;
    double squares = 0;
    for (int t = 0; t < trials; ++t) {
      std::vector<std::int64_t> counts(symbols);
      for (int key = 0; key < ours + theirs; ++key) {
        for (int i = 0; i < symbols; ++i) {
          const bool in = uniform(random) < rateless_density(static_cast<std::uint64_t>(i));
          counts[static_cast<std::size_t>(i)] += in ? (key < ours ? 1 : -1) : 0;
        }
      }
      const double told = estimated_difference(counts);
      sum += told;
      squares += told * told;
    }
    const double mean = sum / trials;
    const double error = std::sqrt((squares / trials - mean * mean) / trials);
    // 5.2 standard errors are left once in 5 million times.
    EXPECT_NEAR(mean, ours + theirs, 5.2 * error);
    // The spread that the header states, within a quarter of it.
    EXPECT_NEAR(error * std::sqrt(trials), std::sqrt(2.0 / symbols) * (ours + theirs),
                0.25 * std::sqrt(2.0 / symbols) * (ours + theirs));
  }
}

TEST(reconciliation, cells_keep_their_promise_and_stay_near_the_threshold) {
  for (const std::uint64_t keys : {1U, 10U, 100U, 5000U}) {
    for (const std::uint64_t k : {3U, 4U}) {
      const std::uint64_t cells = iblt_cells(keys, k);
      EXPECT_LE(peeling_failure(cells, std::max<std::uint64_t>(keys, 2), k).most, 0.01);
      if (keys == 5000) {
        EXPECT_LT(static_cast<double>(cells), 1.7 * static_cast<double>(keys));
      }
    }
  }
}

TEST(reconciliation, the_share_that_a_tree_finds) {
  EXPECT_NEAR(tree_share_at_least(1e-12, 0.02, 20, 0), 0.98, 1e-9);
  EXPECT_NEAR(tree_share_at_least(0.1, 1e-12, 5, 0), 0.5, 1e-9);
  EXPECT_NEAR(tree_share_at_least(0.1, 1e-12, 5, 1), 0.95, 1e-9);
  EXPECT_EQ(tree_share_at_least(0.5, 0.1, 20, 0), 0);
}

// Counted on trees of keys by chance: prefixes that part my keys, and have a difference below them.
TEST(reconciliation, the_nodes_of_a_tree_that_differ) {
  constexpr std::uint64_t common = 300;
  constexpr std::uint64_t mine = 12;
  constexpr std::uint64_t theirs = 7;
  constexpr int trees = 100;
  std::mt19937_64 random(1);
  double sum = 0;
  double squares = 0;
  for (int tree = 0; tree < trees; ++tree) {
    std::map<std::pair<int, std::uint64_t>, std::array<std::uint64_t, 3>> prefixes;
    for (std::uint64_t i = 0; i < common + mine + theirs; ++i) {
      const std::uint64_t key = random();
      const bool differs = i >= common;
      for (int depth = 0; depth < 32; ++depth) {
        auto& at = prefixes[{depth, depth == 0 ? 0 : key >> (64 - depth)}];
        if (i < common + mine) at[key >> (63 - depth) & 1U] += 1;
        at[2] += std::uint64_t{differs};
      }
    }
    double differing = 0;
    for (const auto& [prefix, at] : prefixes) {
      differing += at[0] > 0 && at[1] > 0 && at[2] > 0 ? 1 : 0;
    }
    const double visits = differing + mine + 3 * (differing - mine + 1);
    sum += visits;
    squares += visits * visits;
  }
  const double mean = sum / trees;
  const double error = std::sqrt((squares / trees - mean * mean) / trees);
  EXPECT_NEAR(tree_visits_at_most(common, mine, theirs, 1), mean, 5 * error);
  EXPECT_LT(error, mean / 50);
}

TEST(reconciliation, a_tree_is_searched_in_a_part_of_it) {
  // A thousand differences in a million keys: less than a fiftieth of 2,000,000 nodes.
  const double visits = tree_visits_at_most(999'500, 500, 500, 1);
  EXPECT_LT(visits, 40'000);
  EXPECT_GT(visits, 20'000);
  EXPECT_NEAR(tree_visits_at_most(1000, 0, 0, 1), 3, 1e-6);  // the root, and one row
  EXPECT_LT(visits, tree_visits_at_most(999'500, 500, 500, 2));
}

TEST(reconciliation, the_soliton_is_a_distribution_with_its_mean) {
  const std::vector<double> shares = robust_soliton(1000, 0.03, 0.5);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
  // Of the ideal part: half have two.
  EXPECT_NEAR(shares[1], 0.5, 0.05);
  EXPECT_GT(shares[0], 0.001);
}

}  // namespace
}  // namespace bloomery::math
