#include "bloomery/hash/lane_cells.hpp"

#include <array>
#include <vector>

#include "testing.hpp"

namespace bloomery::testing {
namespace {

TEST(lane_cells, has_k_cells_spread_evenly_over_the_lanes) {
  for (std::uint64_t k = 1; k <= hash::lane_cells::most_hashes; ++k) {
    const hash::lane_cells pattern(k, 21);
    for (std::uint64_t i = 0; i < 500; ++i) {
      std::array<unsigned, hash::lane_count> in_lane{};
      pattern.each(hash::mix(i), [&](unsigned lane, unsigned cell) {
        ASSERT_LT(lane, hash::lane_count);
        ASSERT_LT(cell, 21U);
        ++in_lane[lane];
      });
      unsigned total = 0;
      for (const unsigned n : in_lane) {
        EXPECT_LE(n, k > 8 ? 2U : 1U);
        EXPECT_GE(n, k > 8 ? 1U : 0U);
        total += n;
      }
      EXPECT_EQ(total, k);
    }
  }
}

// 400,000 keys; every cell of the line equally often, and pairs of cells of neighbouring lanes too.
TEST(lane_cells, draws_every_cell_and_pair_equally_often) {
  constexpr std::uint64_t keys = 400'000;
  for (const unsigned cells : {8U, 12U, 16U, 21U, 32U}) {
    for (const std::uint64_t k : {5U, 8U, 11U}) {
      const hash::lane_cells pattern(k, cells);
      std::vector<std::uint64_t> seen(std::size_t{hash::lane_count} * cells);
      std::vector<std::uint64_t> pairs(std::size_t{cells} * cells);
      for (std::uint64_t i = 0; i < keys; ++i) {
        std::array<unsigned, hash::lane_count> last{};
        last.fill(hash::lane_bits);
        pattern.each(hash::mix(i + 1), [&](unsigned lane, unsigned cell) {
          if (last[lane] == hash::lane_bits) ++seen[lane * cells + cell];
          last[lane] = cell;
        });
        if (last[6] < cells && last[7] < cells) ++pairs[last[6] * cells + last[7]];
      }
      EXPECT_TRUE(plausibly_uniform(seen)) << cells << " cells, k = " << k;
      EXPECT_TRUE(plausibly_uniform(pairs)) << cells << " cells, k = " << k;
    }
  }
}

}  // namespace
}  // namespace bloomery::testing
