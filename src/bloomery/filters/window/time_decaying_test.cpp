#include "bloomery/filters/window/time_decaying.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "later.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

static_assert(able<time_decaying_filter, keeps_time> && able<time_decaying_filter, counts>);

// Against sums of powers, over many eras of 64 half-lives. What a key weighs is known to a few parts in
// 10^7, so answers within that of a boundary are not asked for.
TEST(time_decaying, cells_are_what_is_left_of_arrivals) {
  for (const time_decaying_shape shape : {time_decaying_shape{300, 3, 50, 6, 0},
                                          {300, 3, 50, 50, 0},
                                          {5000, 4, 1000, 125, 1},
                                          {200, 2, 20, 1, 1}}) {
    time_decaying_filter filter(shape);
    std::vector<double> cells(shape.cells, 0);
    const hash::uniform_probes probes{shape.cells, shape.hashes};
    const auto pool = numbered_digests(1, 60);
    const double half_life = static_cast<double>(shape.half_life);
    const double span = static_cast<double>(shape.window - (shape.timed != 0 ? 0 : 1));
    const double least = std::exp2(-span / half_life);
    std::uint64_t now = 0;
    for (std::uint64_t step = 0; step < 3000; ++step) {
      std::uint64_t passed = 1;
      if (shape.timed != 0) {
        passed = hash::reduce(hash::mix(~step),
                              step % 300 == 0 ? 100 * shape.half_life : shape.window / 4);
        filter.advance(now + passed);
      }
      now += passed;
      const double decay = std::exp2(-static_cast<double>(passed) / half_life);
      for (double& cell : cells) cell *= decay;
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      filter.insert(d);
      for (const std::uint64_t i : hash::distinct_positions_of(probes, d)) cells[i] += 1;
      for (const digest x : pool) {
        double weight = cells[probes.at(x, 0)];
        for (std::uint64_t i = 1; i < shape.hashes; ++i) {
          weight = std::min(weight, cells[probes.at(x, i)]);
        }
        constexpr double slack = 1e-5;
        if (std::abs(weight / least - 1) > slack) {
          ASSERT_EQ(filter.may_contain(x), weight > least) << step;
        }
        const double rounded = std::ceil(weight - slack * weight);
        if (weight > least * (1 + slack) && rounded == std::ceil(weight + slack * weight)) {
          ASSERT_EQ(filter.count(x), static_cast<std::uint64_t>(rounded)) << step;
        }
      }
      if (step % 100 == 0) filter = wire::load<time_decaying_filter>(wire::save(filter));
    }
    EXPECT_EQ(filter.now(), now);
  }
}

// To the arrival and to the millisecond, in cells so many that keys do not meet.
TEST(time_decaying, single_arrivals_last_exactly_a_window) {
  for (const std::uint64_t window : {1U, 7U, 100U}) {
    time_decaying_filter arrivals({1 << 16, 3, window, std::max<std::uint64_t>(1, window / 8), 0});
    for (std::uint64_t i = 0; i < 20 * window + 300; ++i) {
      arrivals.insert(numbered_digest(2, i));
      ASSERT_TRUE(i + 1 < window || arrivals.may_contain(numbered_digest(2, i + 1 - window)));
      ASSERT_FALSE(i >= window && arrivals.may_contain(numbered_digest(2, i - window))) << i;
    }
    time_decaying_filter timed_one({1 << 16, 3, window, std::max<std::uint64_t>(1, window / 8), 1});
    for (std::uint64_t now = 1'000'000; now < 3'000'000; now += 50'021) {
      const digest d = numbered_digest(3, now);
      timed_one.advance(now);
      timed_one.insert(d);
      timed_one.advance(now + window);
      ASSERT_TRUE(timed_one.may_contain(d));
      timed_one.advance(now + window + 1);
      ASSERT_FALSE(timed_one.may_contain(d));
    }
  }
}

// Keys beyond the window still weigh in: 60 filters, 20,000 strangers each, long after the start.
TEST(time_decaying, keeps_its_rate_for_ever) {
  const auto shape = time_decaying_filter::plan(1000, 0.02);
  EXPECT_LE(time_decaying_filter::predicted_rate(shape, 8000), 0.02);
  EXPECT_TRUE(rate_as_predicted<time_decaying_filter>(shape, 8000, 60, 20'000));
  // Long half-lives, where remains matter: fill .67 instead of .55.
  const time_decaying_shape slow{5000, 4, 1000, 500, 0};
  EXPECT_GT(time_decaying_filter::predicted_rate(slow, 8000),
            1.3 * time_decaying_filter::predicted_rate(slow, 1000));
  EXPECT_TRUE(rate_as_predicted<time_decaying_filter>(slow, 8000, 60, 20'000));
}

// To the millisecond through a window and beyond it, at the ends of eras of 64 half-lives, and after so
// many of them that nothing is left.
TEST(time_decaying, is_asked_as_of_a_later_time) {
  for (const time_decaying_shape shape : {time_decaying_shape{5000, 4, 1000, 125, 1},
                                          {300, 3, 50, 6, 1},
                                          {200, 2, 20, 1, 1},
                                          {200, 2, 30, 100, 1}}) {
    time_decaying_filter filter(shape);
    const auto keys = numbered_digests(8, 200);
    const std::uint64_t era = 64 * shape.half_life;
    for (std::uint64_t turn = 0; turn < 4; ++turn) {
      filter.advance((turn + 1) * era - shape.window / 2 - turn);
      for (std::uint64_t i = 0; i < 60; ++i) {
        filter.advance(filter.now() +
                       hash::reduce(hash::mix(60 * turn + i), shape.window / 30 + 2));
        filter.insert(keys[hash::reduce(hash::mix(~i), 50 * (turn + 1))]);
      }
      std::vector<std::uint64_t> moments{max_items};
      for (std::uint64_t later = 0; later <= 2 * shape.window; later += 1 + shape.window / 200) {
        moments.push_back(filter.now() + later);
      }
      for (const std::uint64_t eras : {1U, 2U, 3U, 7U, 8U, 9U, 40U}) {
        const std::uint64_t begins = (filter.now() / era + eras) * era;
        moments.insert(moments.end(), {begins - 1, begins, begins + 1});
      }
      EXPECT_GT(expect_asked_later_as_advanced(filter, keys, moments), 0U);
    }
    EXPECT_TRUE(throws_error(errc::invalid, "time is ",
                             [&] { (void)filter.may_contain(keys[0], filter.now() - 1); }));
  }
}

TEST(time_decaying, says_what_it_refuses) {
  const auto build = [](time_decaying_shape shape) { time_decaying_filter{shape}; };
  EXPECT_TRUE(throws_error(errc::invalid, "half_life", [&] { build({100, 3, 1000, 31, 0}); }));
  EXPECT_NO_THROW(build({100, 3, 1000, 32, 0}));
  EXPECT_TRUE(throws_error(errc::invalid, "timed", [&] { build({100, 3, 1000, 100, 2}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "milliseconds",
                           [] { (void)time_decaying_filter::plan_time(10, 0.1, 0); }));
  time_decaying_filter by_arrivals({100, 3, 10, 5, 0});
  EXPECT_TRUE(throws_error(errc::unsupported, "arrivals", [&] { by_arrivals.advance(1); }));
  time_decaying_filter by_time({100, 3, 10, 5, 1});
  by_time.advance(50);
  EXPECT_TRUE(throws_error(errc::invalid, "time is 49", [&] { by_time.advance(49); }));
  const auto restore = [&](std::uint64_t time, float value) {
    storage all = storage::allocate(64 + 448);
    all.bytes_for_writing()[0] = static_cast<std::byte>(time);
    core::store_le(all.bytes_for_writing().data() + 64, std::bit_cast<std::uint32_t>(value));
    (void)time_decaying_filter::restore(by_arrivals.shape(), {}, std::move(all));
  };
  EXPECT_NO_THROW(restore(3, 1.0F));
  for (const float bad : {-1.0F, -0.0F, std::nanf(""), 1e38F, INFINITY}) {
    EXPECT_TRUE(throws_error(errc::corrupt, "cell 0", [&] { restore(3, bad); })) << bad;
  }
  EXPECT_TRUE(throws_error(errc::corrupt, "cell 0", [&] { restore(0, 1.0F); }));
}

}  // namespace
}  // namespace bloomery::testing
