#include "bloomery/filters/window/stable.hpp"

#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

static_assert(able<stable_filter, loses> && able<stable_filter, forgets>);

// Deng, Rafiei 2006 (Tarkoma §III-I) on plain counters: ask, take down, set.
TEST(stable, is_what_the_paper_says) {
  for (const stable_shape shape : {stable_shape{200, 3, 1, 11, 20},
                                   {301, 2, 3, 301, 20},
                                   {150, 4, 7, 20, 20},
                                   {400, 3, 15, 90, 20}}) {
    stable_filter filter(shape);
    std::vector<std::uint64_t> cells(shape.cells, 0);
    const hash::uniform_probes probes{shape.cells, shape.hashes};
    const auto held = [&](digest d) {
      return probes.all(d, [&](std::uint64_t at) { return cells[at] != 0; });
    };
    const auto pool = numbered_digests(1, 60);
    for (std::uint64_t step = 1; step < 2000; ++step) {
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      ASSERT_EQ(filter.insert(d), !held(d));
      const std::uint64_t first = hash::reduce(hash::mix(d.lo + step * hash::golden), shape.cells);
      for (std::uint64_t i = 0; i < shape.decrements; ++i) {
        std::uint64_t& cell = cells[(first + i) % shape.cells];
        cell -= std::uint64_t{cell != 0};
      }
      hash::each_position(probes, d, [&](std::uint64_t at) { cells[at] = shape.highest; });
      ASSERT_TRUE(filter.may_contain(d));
      for (const digest x : pool) ASSERT_EQ(filter.may_contain(x), held(x));
      if (step % 50 == 0) filter = wire::load<stable_filter>(wire::save(filter));
    }
  }
}

// Tarkoma eq. 18 at f = .01 and Max = 1: K=2 takes P=18 and leaves .9 zeros, K=3 10.92 and .7846.
// With P rounded up the rate converges to the promise and not above: 60 filters, 20,000 strangers
// each.
TEST(stable, converges_to_the_rate_of_the_paper) {
  const stable_shape two{20'000, 2, 1, 18, 1};
  EXPECT_NEAR(math::stable_decrements(two.cells, 2, 1, 0.01), 18, 0.01);
  EXPECT_NEAR(1 - math::stable_limit(two.size()), 0.9, 1e-3);
  const stable_shape three{20'000, 3, 1, 11, 1};
  EXPECT_NEAR(math::stable_decrements(three.cells, 3, 1, 0.01), 10.92, 0.01);
  EXPECT_LE(stable_filter::predicted_rate(three, 1'000'000), 0.01);
  EXPECT_GT(stable_filter::predicted_rate({20'000, 3, 1, 10, 1}, 1'000'000), 0.01);
  for (const stable_shape shape : {two, three}) {
    for (const std::uint64_t n : {500U, 6000U}) {
      EXPECT_TRUE(rate_as_predicted<stable_filter>(shape, n, 60, 20'000)) << n;
    }
  }
}

// 60 filters, 3000 keys of each; in an old filter as in a young one.
TEST(stable, misses_as_often_as_it_says) {
  const auto planned = stable_filter::plan(500, 0.02);
  EXPECT_LE(stable_filter::predicted_false_negatives(planned, 500), math::planned_misses);
  EXPECT_TRUE(misses_as_predicted<stable_filter>(planned, 500, 0, 60, 3000));
  EXPECT_TRUE(misses_as_predicted<stable_filter>(planned, 900, 2000, 60, 3000));
  const stable_shape forgetful{5000, 3, 3, 40, 100};
  EXPECT_TRUE(misses_as_predicted<stable_filter>(forgetful, 150, 1000, 60, 3000));
}

TEST(stable, says_what_it_refuses) {
  const auto build = [](stable_shape shape) { stable_filter{shape}; };
  EXPECT_TRUE(throws_error(errc::invalid, "decrements", [&] { build({10, 1, 1, 11, 5}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "highest", [&] { build({10, 1, 256, 1, 5}); }));
  EXPECT_TRUE(throws_error(errc::limit, "cells", [&] { build({max_bits, 1, 3, 1, 5}); }));
  storage all = storage::allocate(128);
  all.bytes_for_writing()[0] = std::byte{1};
  all.bytes_for_writing()[64] = std::byte{5};
  const stable_shape shape{20, 2, 5, 3, 5};
  EXPECT_NO_THROW((void)stable_filter::restore(shape, {}, all));
  all.bytes_for_writing()[64] = std::byte{6};
  EXPECT_TRUE(
      throws_error(errc::corrupt, "cell 0", [&] { (void)stable_filter::restore(shape, {}, all); }));
}

}  // namespace
}  // namespace bloomery::testing
