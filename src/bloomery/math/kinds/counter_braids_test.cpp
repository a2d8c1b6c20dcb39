#include "bloomery/math/kinds/counter_braids.hpp"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(braids, thresholds_are_those_of_the_literature) {
  EXPECT_NEAR(peeling_threshold(2), 2, 1e-6);
  EXPECT_NEAR(1 / peeling_threshold(3), 0.81847, 1e-5);
  EXPECT_NEAR(1 / peeling_threshold(4), 0.77228, 1e-5);
  EXPECT_NEAR(1 / peeling_threshold(5), 0.70178, 1e-5);
}

// Peels hypergraphs of 40 keys, counting the keys that stay: never more of them than the bound says,
// and not a hundred times fewer. 20,000 graphs each.
TEST(braids, the_bound_holds_for_peeled_graphs) {
  for (const std::uint64_t m : {80U, 100U, 160U}) {
    constexpr std::uint64_t keys = 40;
    constexpr std::uint64_t graphs = 20'000;
    std::uint64_t stay = 0;
    std::mt19937_64 random(m);
    for (std::uint64_t g = 0; g < graphs; ++g) {
      std::vector<std::array<std::uint64_t, 3>> at(keys);
      for (auto& key : at) {
        do {
          for (auto& counter : key) counter = random() % m;
        } while (key[0] == key[1] || key[0] == key[2] || key[1] == key[2]);
      }
      std::vector<std::uint64_t> load(m, 0);
      for (const auto& key : at) {
        for (const std::uint64_t counter : key) ++load[counter];
      }
      for (bool peeled = true; peeled;) {
        peeled = false;
        for (std::size_t i = 0; i < at.size();) {
          const auto& key = at[i];
          const bool single = load[key[0]] == 1 || load[key[1]] == 1 || load[key[2]] == 1;
          if (!single) {
            ++i;
            continue;
          }
          for (const std::uint64_t counter : key) --load[counter];
          at[i] = at.back();
          at.pop_back();
          peeled = true;
        }
      }
      stay += at.size();
    }
    const double share = real(stay) / real(graphs * keys);
    const double bound = core_probability(m, keys);
    // Graphs differ in cores of several keys, so the spread is wider than of coins: ten times.
    const double spread = 10 * 5 * std::sqrt(bound / real(graphs * keys));
    EXPECT_LE(share, bound + spread) << m;
    EXPECT_GT(share, bound / 100) << m << ": a bound that says something";
  }
}

TEST(braids, plans_keep_their_rate_with_the_fewest_counters) {
  for (const std::uint64_t keys : {1U, 2U, 30U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6}) {
      const braid_size size = plan_braids(keys, rate);
      EXPECT_LE(braid_rate(size, keys), rate);
      EXPECT_GE(core_probability(size.first - 1, keys), 0.9 * rate * (keys < 2 ? 0 : 1));
    }
  }
  const std::uint64_t many = plan_braids(1'000'000, 0.01).first;
  EXPECT_GT(many, 1'221'800U) << "below the threshold nothing is certain";
  EXPECT_LT(many, 1'520'000U);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "keys", [] { (void)plan_braids(0, 0.1); }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "rate", [] { (void)plan_braids(9, 1); }));
}

}  // namespace
}  // namespace bloomery::math
