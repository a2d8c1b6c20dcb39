#include "bloomery/filters/window/sliding_count.hpp"

#include <deque>
#include <map>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/count_min.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

static_assert(able<sliding_count_filter, keeps_time>);
static_assert(able<sliding_count_filter, counts>);

// The definition: a count of each key for each pane, the oldest first.
class plain_panes {
 public:
  explicit plain_panes(std::uint64_t panes) : panes_(panes) {}

  void begin_pane() {
    counts_.emplace_back();
    if (counts_.size() > panes_ + 1) counts_.pop_front();
  }
  void insert(digest d) { ++counts_.back()[d]; }
  [[nodiscard]] std::uint64_t count(digest d) const {
    std::uint64_t sum = 0;
    for (const auto& pane : counts_) {
      const auto found = pane.find(d);
      if (found != pane.end()) sum += found->second;
    }
    return sum;
  }

 private:
  std::uint64_t panes_;
  std::deque<std::map<digest, std::uint64_t>> counts_{1};
};

// So wide that no two keys share a column in all rows: counts are the definition's, to the arrival.
TEST(sliding_count, counts_the_panes_of_its_window) {
  for (const sliding_count_shape shape : {sliding_count_shape{1 << 12, 2, 5, 7, 0},
                                          {1 << 12, 2, 1, 1, 0},
                                          {1 << 12, 3, 4, 90, 0},
                                          {1 << 12, 2, 2, 30'000, 0}}) {
    sliding_count_filter filter(shape);
    plain_panes oracle(shape.panes);
    const auto pool = numbered_digests(shape.panes, 12);
    for (std::uint64_t step = 0; step < 3000; ++step) {
      if (step != 0 && step % shape.pane == 0) oracle.begin_pane();
      const digest d = pool[hash::mix(step) % pool.size()];
      EXPECT_EQ(filter.insert(d), oracle.count(d) == 0);
      oracle.insert(d);
      for (const digest asked : pool) ASSERT_EQ(filter.count(asked), oracle.count(asked)) << step;
    }
    EXPECT_EQ(filter.window(), shape.panes * shape.pane + 1);
  }
}

TEST(sliding_count, a_window_of_time_counts_its_panes) {
  sliding_count_filter filter({1 << 12, 2, 4, 0, 100});
  plain_panes oracle(4);
  const auto pool = numbered_digests(7, 12);
  std::uint64_t now = 0;
  for (std::uint64_t step = 0; step < 3000; ++step) {
    const std::uint64_t later = now + hash::mix(step) % 60 + (step % 500 == 0 ? 700 : 0);
    for (std::uint64_t begun = now / 100; begun < later / 100; ++begun) oracle.begin_pane();
    std::vector<std::uint64_t> told(pool.size());
    filter.count(pool, told, later);
    for (std::size_t i = 0; i < pool.size(); ++i) ASSERT_EQ(told[i], oracle.count(pool[i]));
    filter.advance(now = later);
    const digest d = pool[hash::mix(~step) % pool.size()];
    filter.insert(d);
    oracle.insert(d);
    ASSERT_EQ(filter.count(d), oracle.count(d)) << step;
  }
  EXPECT_EQ(filter.window(), 400U);
}

// What is counted too much, against ε of the window and δ: 2,000 keys of 20 filters.
TEST(sliding_count, errs_by_more_than_epsilon_as_often_as_predicted) {
  constexpr std::uint64_t window = 801;
  const auto shape = sliding_count_shape::for_error(0.05, 0.2, window);
  std::uint64_t strays = 0;
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    sliding_count_filter filter(shape);
    plain_panes oracle(shape.panes);
    const auto pool = numbered_digests(100 + trial, 400);
    for (std::uint64_t step = 0; step < 3 * window; ++step) {
      if (step != 0 && step % shape.pane == 0) oracle.begin_pane();
      const digest d = pool[hash::mix(step * 20 + trial) % pool.size()];
      filter.insert(d);
      oracle.insert(d);
    }
    for (std::size_t i = 0; i < 100; ++i) {
      ASSERT_GE(filter.count(pool[i]), oracle.count(pool[i]));
      strays += std::uint64_t{filter.count(pool[i]) - oracle.count(pool[i]) > window / 20};
    }
  }
  EXPECT_TRUE(plausible_limit(strays, 2000, math::count_min_delta(shape.depth)));
}

// At the peak and on the way to it.
TEST(sliding_count, claims_strangers_at_its_rate) {
  const auto shape = sliding_count_filter::plan(500, 0.05);
  for (const std::uint64_t n : {20U, 500U, 1000U, 1764U}) {
    EXPECT_TRUE(rate_as_predicted<sliding_count_filter>(shape, n, 200, 300)) << n;
  }
}

// Counters are as wide as a window asks, and cannot overflow.
TEST(sliding_count, counters_hold_a_window) {
  EXPECT_EQ((sliding_count_shape{10, 2, 4, 51, 0}.counter_bits()), 8U);
  EXPECT_EQ((sliding_count_shape{10, 2, 4, 52, 0}.counter_bits()), 16U);
  EXPECT_EQ((sliding_count_shape{10, 2, 4, 20'000, 0}.counter_bits()), 32U);
  EXPECT_EQ((sliding_count_shape{10, 2, 4, 1'000'000'000, 0}.counter_bits()), 64U);
  sliding_count_filter filter({10, 2, 4, 51, 0});
  for (int i = 0; i < 1000; ++i) filter.insert(digest{1, 2});
  EXPECT_EQ(filter.count(digest{1, 2}), 4 * 51 + 1000 % 51);
}

TEST(sliding_count, refuses_what_no_history_leaves) {
  EXPECT_TRUE(throws_error(errc::invalid, "a pane ends with arrivals or with time", [] {
    (void)sliding_count_filter({10, 2, 4, 5, 5});
  }));
  sliding_count_filter filter({10, 2, 2, 5, 0});
  for (const digest d : numbered_digests(9, 12)) filter.insert(d);
  const auto restored = [&](std::size_t counter, int by) {
    std::vector<std::byte> bytes;
    for (const byte_view part : filter.payload()) {
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    bytes[64 + counter] = static_cast<std::byte>(std::to_integer<int>(bytes[64 + counter]) + by);
    (void)sliding_count_filter::restore(filter.shape(), filter.record(), wire::copied(bytes));
  };
  EXPECT_NO_THROW(restored(0, 0));
  EXPECT_TRUE(throws_error(errc::corrupt, "not the sum of its panes", [&] { restored(0, 1); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "a pane of 5", [&] { restored(25, 100); }));
}

}  // namespace
}  // namespace bloomery::testing
