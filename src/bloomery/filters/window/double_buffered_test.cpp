#include "bloomery/filters/window/double_buffered.hpp"

#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Tarkoma §III-L on two standard filters.
TEST(double_buffered, is_two_filters_that_take_turns) {
  for (const double_buffered_shape shape :
       {double_buffered_shape{1000, 4}, {999, 7}, {40, 3}, {1, 1}}) {
    double_buffered_filter filter(shape);
    standard_filter active({shape.bits, shape.hashes});
    standard_filter other = active.copy();
    std::uint64_t swaps = 0;
    const auto is_half_full = [&](const standard_filter& f) {
      return 2 * f.cells().bits().count() >= shape.bits;
    };
    const auto pool = numbered_digests(1, 2 * shape.bits + 50);
    for (std::uint64_t step = 0; step < 4000; ++step) {
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      if (is_half_full(active)) other.insert(d);
      ASSERT_EQ(filter.insert(d), active.insert(d));
      if (is_half_full(other)) {
        active = std::exchange(other, standard_filter({shape.bits, shape.hashes}));
        ++swaps;
      }
      ASSERT_EQ(filter.cells().swaps(), swaps);
      for (std::uint64_t i = 0; i < 8; ++i) {
        const digest x = pool[hash::reduce(hash::mix(~(8 * step + i)), pool.size())];
        ASSERT_EQ(filter.may_contain(x), active.may_contain(x)) << step;
      }
      if (step % 64 == 0) filter = wire::load<double_buffered_filter>(wire::save(filter));
    }
    EXPECT_GT(swaps, 5U);
  }
}

// A key that was written to both bitmaps is found until the second swap after it.
TEST(double_buffered, a_key_lasts_to_the_second_swap) {
  double_buffered_filter filter({20'000, 6});
  std::vector<std::uint64_t> swap_before;  // of arrival i
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    swap_before.push_back(filter.cells().swaps());
    filter.insert(numbered_digest(2, i));
    const std::uint64_t swaps = filter.cells().swaps();
    for (std::uint64_t age = 0; age <= i; age += 97) {
      const std::uint64_t since = swaps - swap_before[i - age];
      const bool found = filter.may_contain(numbered_digest(2, i - age));
      if (age < filter.window() || (since < 2 && swap_before[i - age] > 0)) {
        ASSERT_TRUE(found);
      }
      if (since >= 2) lost += std::uint64_t{!found};
    }
  }
  EXPECT_GT(lost, 10'000U);
}

// The worst moment, just before a swap: at most what is promised, and hardly less. 40 filters, 20,000
// strangers each; each is asked when its next swap is nearest.
TEST(double_buffered, the_rate_is_highest_before_a_swap) {
  const double_buffered_shape shape{3000, 8};
  sample rates;
  constexpr std::uint64_t filters = 40;
  for (std::uint64_t i = 0; i < filters; ++i) {
    double_buffered_filter filter(shape);
    double_buffered_filter before = filter.copy();
    for (std::uint64_t key = 0; filter.cells().swaps() < 4; ++key) {
      before = filter.copy();
      filter.insert(numbered_digest(100 + i, key));
    }
    std::uint64_t hits = 0;
    for (const digest d : numbered_digests(200 + i, 20'000)) {
      hits += std::uint64_t{before.may_contain(d)};
    }
    rates.add(static_cast<double>(hits) / 20'000);
  }
  const double peak = math::buffered_peak(shape.size());
  const double least = math::buffered_least_peak(shape.size());
  EXPECT_TRUE(rates.mean() < peak || plausible_mean(rates, peak));
  EXPECT_TRUE(rates.mean() > least || plausible_mean(rates, least));
  EXPECT_EQ(double_buffered_filter::predicted_rate(shape, 1'000'000), peak);
}

TEST(double_buffered, impossible_bitmaps_are_refused) {
  const double_buffered_shape shape{8, 2};
  const auto restore = [&](std::uint64_t swaps, std::uint64_t pairs) {
    storage all = storage::allocate(128);
    all.bytes_for_writing()[0] = static_cast<std::byte>(swaps);
    core::store_le<std::uint64_t>(all.bytes_for_writing().data() + 64, pairs);
    (void)double_buffered_filter::restore(shape, {}, std::move(all));
  };
  EXPECT_NO_THROW(restore(0, 0b01));
  EXPECT_NO_THROW(restore(0, 0b11010101));
  EXPECT_NO_THROW(restore(1, 0b10101010));
  EXPECT_TRUE(throws_error(errc::corrupt, "cell 0", [&] { restore(0, 0b10); })) << "only inactive";
  EXPECT_TRUE(throws_error(errc::corrupt, "bitmaps", [&] { restore(0, 0b11); })) << "too early";
  EXPECT_TRUE(throws_error(errc::corrupt, "bitmaps", [&] { restore(0, 0b11111111); })) << "no swap";
  EXPECT_TRUE(throws_error(errc::corrupt, "bitmaps", [&] { restore(1, 0b10); })) << "too empty";
}

TEST(double_buffered, rates_beyond_its_hashes_are_refused) {
  EXPECT_TRUE(throws_error(errc::limit, "two buffers",
                           [] { (void)double_buffered_filter::plan(1000, 1e-9); }));
}

}  // namespace
}  // namespace bloomery::testing
