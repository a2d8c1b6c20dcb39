#include "bloomery/math/laws/peeling.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::plausible_limit;

using graph = std::vector<std::vector<std::uint64_t>>;  // the slots of each key

// How many keys stay when all that can are peeled.
std::uint64_t left_of(graph at, std::uint64_t m) {
  std::vector<std::uint64_t> load(m, 0);
  for (const auto& key : at) {
    for (const std::uint64_t slot : key) ++load[slot];
  }
  for (bool peeled = true; peeled;) {
    peeled = false;
    for (std::size_t i = 0; i < at.size();) {
      const auto single = [&](std::uint64_t slot) { return load[slot] == 1; };
      if (std::ranges::none_of(at[i], single)) {
        ++i;
        continue;
      }
      for (const std::uint64_t slot : at[i]) --load[slot];
      at[i] = at.back();
      at.pop_back();
      peeled = true;
    }
  }
  return at.size();
}

graph drawn(std::mt19937_64& random, std::uint64_t m, std::uint64_t keys, std::uint64_t k) {
  graph at(keys);
  for (auto& key : at) {
    while (key.size() < k) {
      const std::uint64_t slot = random() % m;
      if (std::ranges::find(key, slot) == key.end()) key.push_back(slot);
    }
  }
  return at;
}

TEST(peeling, thresholds_are_those_of_the_literature) {
  EXPECT_NEAR(peeling_threshold(2), 2, 1e-6);
  EXPECT_NEAR(1 / peeling_threshold(3), 0.81847, 1e-5);
  EXPECT_NEAR(1 / peeling_threshold(4), 0.77228, 1e-5);
  EXPECT_NEAR(1 / peeling_threshold(5), 0.70178, 1e-5);
}

// Three slots a key need the fewest: from there on more slots a key need more in all.
TEST(peeling, three_slots_a_key_need_the_fewest) {
  for (std::uint64_t k = 3; k < 64; ++k) {
    EXPECT_LT(peeling_threshold(k), peeling_threshold(k + 1)) << k;
  }
  EXPECT_GT(peeling_threshold(2), peeling_threshold(6));
}

// Hypergraphs of 40 keys, counting the keys that stay: never more of them than the bound says, and not a
// hundred times fewer. 20,000 graphs each.
TEST(peeling, the_bound_on_a_key_holds_for_peeled_graphs) {
  for (const std::uint64_t m : {80U, 100U, 160U}) {
    constexpr std::uint64_t keys = 40;
    constexpr std::uint64_t graphs = 20'000;
    std::uint64_t stay = 0;
    std::mt19937_64 random(m);
    for (std::uint64_t g = 0; g < graphs; ++g) stay += left_of(drawn(random, m, keys, 3), m);
    const double share = real(stay) / real(graphs * keys);
    const double bound = core_probability(m, keys);
    // Graphs differ in cores of several keys, so the spread is wider than of coins: ten times.
    const double spread = 10 * 5 * std::sqrt(bound / real(graphs * keys));
    EXPECT_LE(share, bound + spread) << m;
    EXPECT_GT(share, bound / 100) << m << ": a bound that says something";
  }
}

// All hypergraphs of 2 to 4 keys on few slots: the share that cannot be peeled lies within the bounds,
// which meet for two keys.
TEST(peeling_failure, bounds_what_enumeration_counts) {
  struct row {
    std::uint64_t m;
    std::uint64_t k;
    std::uint64_t keys;
  };
  for (const auto& [m, k, keys] : {row{5, 3, 2}, row{6, 3, 3}, row{7, 3, 3}, row{6, 4, 2},
                                   row{6, 2, 4}, row{5, 3, 4}, row{6, 3, 4}}) {
    graph sets;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << m; ++bits) {
      std::vector<std::uint64_t> set;
      for (std::uint64_t slot = 0; slot < m; ++slot) {
        if ((bits >> slot & 1) != 0) set.push_back(slot);
      }
      if (set.size() == k) sets.push_back(set);
    }
    const auto all = static_cast<std::uint64_t>(std::llround(std::pow(real(sets.size()), keys)));
    std::uint64_t failed = 0;
    for (std::uint64_t number = 0; number < all; ++number) {
      graph at;
      for (std::uint64_t rest = number; at.size() < keys; rest /= sets.size()) {
        at.push_back(sets[rest % sets.size()]);
      }
      failed += std::uint64_t{left_of(at, m) != 0};
    }
    const double share = real(failed) / real(all);
    const failure_bounds bounds = peeling_failure(m, keys, k);
    EXPECT_LE(bounds.least, share * (1 + 1e-12)) << m << ' ' << k << ' ' << keys;
    EXPECT_GE(bounds.most, share * (1 - 1e-12)) << m << ' ' << k << ' ' << keys;
    if (keys == 2) {
      EXPECT_NEAR(bounds.least / share, 1, 1e-12);
      EXPECT_NEAR(bounds.most / share, 1, 1e-12);
    }
  }
}

// 40,000 graphs of 30 keys each: within the bounds, the lower one as a limit on those that succeed.
TEST(peeling_failure, bounds_what_simulation_counts) {
  constexpr std::uint64_t keys = 30;
  constexpr std::uint64_t graphs = 40'000;
  for (const std::uint64_t m : {90U, 150U}) {
    std::mt19937_64 random(m);
    std::uint64_t failed = 0;
    for (std::uint64_t g = 0; g < graphs; ++g) {
      failed += std::uint64_t{left_of(drawn(random, m, keys, 3), m) != 0};
    }
    const auto [least, most] = peeling_failure(m, keys, 3);
    EXPECT_TRUE(plausible_limit(failed, graphs, most)) << m;
    EXPECT_TRUE(plausible_limit(graphs - failed, graphs, 1 - least)) << m;
    EXPECT_GT(least, 0);
    EXPECT_LT(most, 0.2) << "a bound that says something";
  }
}

TEST(peeling_failure, at_the_ends) {
  EXPECT_EQ(peeling_failure(10, 1, 3).most, 0);
  EXPECT_EQ(peeling_failure(10, 0, 3).most, 0);
  EXPECT_EQ(peeling_failure(2, 5, 3).least, 1);
  EXPECT_EQ(peeling_failure(10, 11, 3).least, 1) << "more keys than slots";
  EXPECT_EQ(peeling_failure(1'221'000, 1'000'000, 3).most, 1) << "below the threshold";
  const auto many = peeling_failure(2'000'000, 1'000'000, 3);
  EXPECT_NEAR(many.least / (0.5e12 * 6 / std::pow(2e6, 3)), 1, 1e-5);
  EXPECT_LT(many.most, 1.05 * many.least);
}

// What was asked before only says where to look first.
TEST(peeling, a_bound_for_many_sizes_is_the_bound_of_each) {
  for (const std::uint64_t keys : {2U, 50U, 1000U, 300'000U}) {
    core_bound bound(keys, 3);
    for (const double each : {1.51, 20.0, 1.6, 1.53, 4.0, 1.515}) {
      const auto m = static_cast<std::uint64_t>(std::ceil(each * real(keys)));
      const double chance = bound.log_chance(m);
      EXPECT_NEAR(chance, core_bound(keys, 3).log_chance(m), 1e-12 * std::abs(chance) + 1e-12);
      EXPECT_LE(bound.log_chance_of_few(m), chance + 1e-12);
      EXPECT_LE(bound.log_chance_of_many(m), chance + 1e-12 * std::abs(chance) + 1e-12);
    }
  }
}

}  // namespace
}  // namespace bloomery::math
