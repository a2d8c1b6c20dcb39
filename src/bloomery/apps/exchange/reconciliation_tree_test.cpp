#include "bloomery/apps/exchange/reconciliation_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/apps/lab/request.hpp"
#include "bloomery/apps/lab/result.hpp"
#include "bloomery/math/laws/reconciliation.hpp"
#include "testing.hpp"

namespace bloomery::exchange {
namespace {

struct pair_of_sets {
  digest_set mine;
  digest_set theirs;
};
pair_of_sets differing(std::uint64_t seed, std::uint64_t shared, std::uint64_t mine) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; i < shared; ++i) keys.push_back(lab::numbered(seed, 0, i));
  pair_of_sets made{{}, digest_set(keys)};
  for (std::uint64_t i = 0; i < mine; ++i) keys.push_back(lab::numbered(seed, 1, i));
  made.mine = digest_set(keys);
  return made;
}

TEST(reconciliation_tree, finds_the_predicted_share_and_never_a_wrong_key) {
  constexpr std::uint64_t differences = 100;
  constexpr std::uint64_t bits = 8;
  constexpr std::uint64_t correction = 1;
  std::vector<double> shares;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto [mine, theirs] = differing(seed, 20'000, differences);
    const reconciliation_tree tree(theirs);
    const auto found = reconciliation_tree(mine).missing_there(
        tree.node_filter(bits, {}), tree.leaf_filter(bits, {}), correction);
    for (const digest d : found.keys) EXPECT_FALSE(theirs.contains(d));
    EXPECT_TRUE(std::ranges::is_sorted(found.keys, std::less<>()));
    EXPECT_LT(found.visits, 8000U);  // of 40,000 nodes and leaves
    shares.push_back(1 - static_cast<double>(found.keys.size()) / differences);
  }
  const double rate = standard_cells::predicted_rate({20'000 * bits, 6}, 20'000);
  const double lost =
      1 - math::tree_share_at_least(rate, rate, math::trie_depth(20'000), correction);
  const lab::figure missed = lab::mean_at_most("missed", lab::unit::share, shares, lost);
  EXPECT_TRUE(missed.as_predicted()) << missed.measured << " of at most " << lost;
}

TEST(reconciliation_tree, equal_sets_cost_a_few_looks_and_strangers_all) {
  const auto [mine, theirs] = differing(1, 5000, 0);
  const reconciliation_tree tree(theirs);
  const auto nodes = tree.node_filter(16, {});
  const auto leaves = tree.leaf_filter(16, {});
  const auto same = reconciliation_tree(mine).missing_there(nodes, leaves, 1);
  EXPECT_TRUE(same.keys.empty());
  EXPECT_EQ(same.visits, 3U);  // the root, and once more below
  const auto strange = differing(2, 5000, 0).mine;
  const auto all = reconciliation_tree(strange).missing_there(nodes, leaves, 3);
  EXPECT_GT(all.keys.size(), 4950U);
}

// One key, none, and keys whose first halves are the same.
TEST(reconciliation_tree, small_sets) {
  const digest_set none;
  const auto half = [](std::uint64_t i) { return lab::numbered(5, 0, i).hi; };
  const digest_set one({{half(0), half(1)}});
  const digest_set near({{half(0), half(1)}, {half(0), half(2)}, {half(0), half(3)}});
  for (const digest_set* theirs : {&none, &one, &near}) {
    const reconciliation_tree tree(*theirs);
    const auto nodes = tree.node_filter(32, {});
    const auto leaves = tree.leaf_filter(32, {});
    for (const digest_set* mine : {&none, &one, &near}) {
      const auto found = reconciliation_tree(*mine).missing_there(nodes, leaves, 0);
      const std::uint64_t missing = static_cast<std::uint64_t>(
          std::ranges::count_if(mine->keys(), [&](digest d) { return !theirs->contains(d); }));
      EXPECT_EQ(found.keys.size(), missing);
    }
  }
}

}  // namespace
}  // namespace bloomery::exchange
