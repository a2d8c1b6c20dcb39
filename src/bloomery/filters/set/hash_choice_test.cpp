#include "bloomery/filters/set/hash_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// The greedy choice, written out with sets: group after group, the first candidate that adds fewest.
TEST(hash_choice, each_group_takes_the_candidate_that_adds_fewest) {
  constexpr std::uint64_t m = 300;
  constexpr std::uint64_t k = 5;
  const hash_choice_shape shape{m, k, 9, 4, 1};
  const auto keys = numbered_digests(1, 40);
  const auto filter = hash_choice_filter::build(shape, keys);
  std::map<std::uint64_t, std::vector<digest>> groups;
  for (const digest d : keys) groups[filter.cells().group(d)].push_back(d);
  ASSERT_GT(groups.size(), 5U);
  std::set<std::uint64_t> ones;
  for (const auto& [group, members] : groups) {
    std::set<std::uint64_t> fewest;
    std::uint64_t best = 0;
    for (std::uint64_t set = 0; set < 16; ++set) {
      std::set<std::uint64_t> added;
      for (const digest d : members) {
        for (std::uint64_t i = 0; i < k; ++i) {
          const std::uint64_t at = hash::uniform_probes{m, 16 * k}.at(d, set * k + i);
          if (!ones.contains(at)) added.insert(at);
        }
      }
      if (set > 0 && added.size() >= fewest.size()) continue;
      fewest = added;
      best = set;
    }
    EXPECT_EQ(filter.cells().choice(group), best);
    ones.merge(fewest);
  }
  EXPECT_EQ(filter.cells().ones(), ones.size());
}

// The ten-fold gain of Hao et al. 2007 (Tarkoma §II-C4) by fills, since a rate of 1e-6 takes long
// to count: 24 bits a key, 64 candidates, 20,000 keys. The rates were simulated apart from this
// library. Bits that were independent would let the fill stray by √(ρ(1-ρ)/m); these stray less.
TEST(hash_choice, fills_as_predicted) {
  constexpr std::uint64_t n = 20'000;
  constexpr std::uint64_t m = 24 * n;
  const auto keys = numbered_digests(2, n);
  const auto within = [](double fill, double predicted) {
    return plausible_value(fill, predicted, std::sqrt(predicted * (1 - predicted) / m));
  };
  struct row {
    std::uint64_t hashes;
    std::uint64_t keys_a_group;
    double rate;
  };
  for (const row& r : {row{20, 4, 1.03e-6}, row{18, 16, 3.3e-6}}) {
    const hash_choice_shape shape{m, r.hashes, n / r.keys_a_group, 6, 1};
    const auto filter = hash_choice_filter::build(shape, keys);
    // The simulated rate is the k-th power of one such filter's fill.
    EXPECT_TRUE(within(std::pow(r.rate, 1 / static_cast<double>(r.hashes)),
                       math::hash_choice_fill(shape.size(), n)));
    EXPECT_TRUE(within(filter.fill(), math::hash_choice_fill(shape.size(), n)));
    // Bits compared include the table: a plain filter of as many does worse.
    EXPECT_GT(math::exact_rate(shape.size().stored_bits(), n, 18),
              hash_choice_filter::predicted_rate(shape, n));
  }
  EXPECT_NEAR(math::asymptotic_rate(m, n, 17), 9.84e-6, 0.005e-6);
}

// Each further pass takes back what a group wrote and lets it choose again: never more ones, no key lost.
TEST(hash_choice, passes_only_take_ones_away) {
  const auto keys = numbered_digests(3, 3000);
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t passes : {1U, 2U, 3U, 6U}) {
    const auto filter = hash_choice_filter::build({10 * 3000, 8, 750, 4, passes}, keys);
    EXPECT_LT(filter.cells().ones(), before);
    before = filter.cells().ones();
    for (const digest d : keys) ASSERT_TRUE(filter.may_contain(d));
    EXPECT_LE(filter.current_rate(),
              hash_choice_filter::predicted_rate(filter.shape(), keys.size()) * 1.05);
    // The ones are those of the keys under the choices, and no others.
    std::set<std::uint64_t> ones;
    for (const digest d : keys) {
      hash::uniform_probes{30'000, 8}.all(filter.cells().locate(d), [&](std::uint64_t i) {
        ones.insert(i);
        return true;
      });
    }
    EXPECT_EQ(ones.size(), filter.cells().ones());
  }
}

}  // namespace
}  // namespace bloomery::testing
