#include "bloomery/bits/array/sweep.hpp"

#include <vector>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

TEST(sweep, visits_every_cell_in_time_and_knows_when) {
  for (const std::uint64_t cells : {1U, 7U, 12U, 100U}) {
    for (std::uint64_t step = 1; step <= cells; step += 1 + step / 2) {
      sweep hand(cells, step, 0);
      std::vector<std::uint64_t> visited(cells, 0);  // the arrival that last did
      for (std::uint64_t arrival = 1; arrival <= 5 * cells; ++arrival) {
        std::uint64_t seen = 0;
        hand.advance([&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t i = first; i < last; ++i, ++seen) visited[i] = arrival;
        });
        ASSERT_EQ(seen, step);
        const sweep joined(cells, step, arrival);
        const std::uint64_t round = (cells + step - 1) / step;
        for (std::uint64_t i = 0; i < cells && arrival >= round; ++i) {
          ASSERT_EQ(hand.since(i), arrival - visited[i]);
          ASSERT_EQ(joined.since(i), hand.since(i));
          ASSERT_LT(hand.since(i), round);
        }
      }
    }
  }
}

TEST(sweep, starts_anywhere_in_a_long_life) {
  const sweep hand(1000, 7, std::uint64_t{1} << 62);
  const std::uint64_t next = 4 * 1000 / 7;  // any cell
  EXPECT_LT(hand.since(next), 143U);
}

}  // namespace
}  // namespace bloomery::bits
