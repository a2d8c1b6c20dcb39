#include "bloomery/math/kinds/sliding_count.hpp"

#include <deque>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Panes as a list that is filled arrival by arrival.
TEST(sliding_count, keeps_the_arrivals_of_its_panes) {
  for (const std::uint64_t panes : {1U, 2U, 5U}) {
    for (const std::uint64_t pane : {1U, 3U, 7U}) {
      std::deque<std::uint64_t> counts{0};
      const sliding_count_size size{10, 2, panes, pane};
      for (std::uint64_t arrivals = 1; arrivals < 100; ++arrivals) {
        if (counts.back() == pane) counts.push_back(0);
        if (counts.size() > panes + 1) counts.pop_front();
        ++counts.back();
        std::uint64_t kept = 0;
        for (const std::uint64_t count : counts) kept += count;
        ASSERT_EQ(arrivals_kept(size, arrivals), kept) << panes << ' ' << pane << ' ' << arrivals;
      }
    }
  }
  EXPECT_EQ(arrivals_kept({1, 1, 2, 3}, 0), 0U);
}

TEST(sliding_count, plans_keep_their_rate_at_every_moment) {
  for (const std::uint64_t keys : {1U, 2U, 9U, 1000U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-6}) {
      const sliding_count_size size = plan_sliding_count(keys, rate);
      EXPECT_GE(size.panes * size.pane + 1, keys);
      EXPECT_LE(size.panes * size.pane, keys + size.panes);
      const std::uint64_t peak = max_keys - max_keys % size.pane;
      EXPECT_LE(sliding_count_rate(size, peak), rate);
      EXPECT_LE(sliding_count_rate(size, keys), rate);
      EXPECT_EQ(arrivals_kept(size, peak), (size.panes + 1) * size.pane) << "the most there are";
    }
  }
}

TEST(sliding_count, is_as_wide_as_its_error_asks) {
  const sliding_count_size size = sliding_count_for(0.01, 0.01, 8001);
  EXPECT_EQ(size.panes, 8U);
  EXPECT_EQ(size.pane, 1000U);
  EXPECT_EQ(size.width, 306U);  // ⌈e·9/8/0.01⌉
  EXPECT_EQ(size.depth, 5U);
}

}  // namespace
}  // namespace bloomery::math
