#include "bloomery/math/kinds/hierarchical.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Counted one by one.
std::uint64_t counted(std::uint64_t first, std::uint64_t blocks, std::uint64_t levels) {
  std::uint64_t found = 0;
  for (std::uint64_t level = 0; level < levels; ++level) {
    const std::uint64_t run = std::uint64_t{1} << level;
    for (std::uint64_t at = first; at + run <= first + blocks; ++at) {
      found += std::uint64_t{at % run == 0};
    }
  }
  return found;
}

TEST(hierarchical_math, lookups_are_those_counted_one_by_one) {
  for (std::uint64_t first = 0; first < 20; ++first) {
    for (std::uint64_t blocks = 0; blocks < 40; ++blocks) {
      for (std::uint64_t levels = 1; levels < 7; ++levels) {
        EXPECT_EQ(hierarchy_lookups(first, blocks, levels), counted(first, blocks, levels));
      }
    }
  }
}

// ℓ = 2^j aligned blocks are the leaves of a full tree (Tarkoma Fig. 8): 2ℓ-1 lookups, and
// f^(2ℓ-1).
TEST(hierarchical_math, aligned_runs_take_twice_their_blocks_less_one) {
  for (std::uint64_t j = 0; j < 10; ++j) {
    const std::uint64_t blocks = std::uint64_t{1} << j;
    EXPECT_EQ(hierarchy_lookups(3 * blocks, blocks, j + 1), 2 * blocks - 1);
  }
  EXPECT_NEAR(candidate_rate(1000, 100, 7, 7), std::pow(exact_rate(1000, 100, 7), 7), 1e-18);
}

// One text of 100 blocks: 16·99 + 1 offsets, each asked for its only block of 31 bytes.
TEST(hierarchical_math, a_search_costs_a_query_at_every_offset) {
  const hierarchy h{.block_bytes = 16, .levels = 5, .copies = 2, .text_blocks = 100};
  const query_cost one = uniform_cost(100'000, 2 * hierarchy_entries(500, 5), 7);
  const query_cost all = hierarchical_cost(h, {.bits = 100'000, .hashes = 7, .rate = 0}, 500);
  EXPECT_NEAR(all.absent, 1585 * one.absent, 1e-9);
  EXPECT_NEAR(all.present, 792 * one.absent + one.present, 1e-9);
}

TEST(hierarchical_math, plans_keep_their_rate_with_the_fewest_bits) {
  const hierarchy h{.block_bytes = 16, .levels = 5, .copies = 2, .text_blocks = 100};
  for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{60}, std::uint64_t{5000}}) {
    for (const double rate : {0.3, 0.01, 1e-9}) {
      standard_size size = plan_hierarchical(h, keys, rate);
      EXPECT_LE(size.rate, rate);
      --size.bits;
      EXPECT_GT(hierarchical_rate(h, size, keys), rate * (1 - 1e-6));
    }
  }
  EXPECT_EQ(hierarchical_rate(h, {1000, 3, 0}, 0), 0);
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "keys", [&] { (void)plan_hierarchical(h, 0, 0.1); }));
  EXPECT_TRUE(testing::throws_error(errc::limit, "entries",
                                    [&] { (void)plan_hierarchical(h, max_keys, 0.1); }));
}

}  // namespace
}  // namespace bloomery::math
