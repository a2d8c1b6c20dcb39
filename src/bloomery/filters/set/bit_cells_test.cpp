// What bit filters promise beyond the conformance suite: exact state, and rates at every size.
#include "bloomery/filters/set/bit_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/any/kinds.hpp"
#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/partitioned.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Everything that is stored: the bits and the count.
template <class F>
std::pair<std::vector<std::byte>, std::uint64_t> state_of(const F& filter) {
  const byte_view bits = filter.cells().bits().bytes();
  return {{bits.begin(), bits.end()}, filter.record().items};
}

template <class F>
class BitFilter : public ::testing::Test {};

// Every registered kind that is a bit_filter of some rule.
template <class Found, class List>
struct bit_filters_of;

template <class... Found>
struct bit_filters_of<::testing::Types<Found...>, kind_list<>> {
  using type = ::testing::Types<Found...>;
};

template <class... Found, class Kind, class... Rest>
struct bit_filters_of<::testing::Types<Found...>, kind_list<Kind, Rest...>>
    : bit_filters_of<::testing::Types<Found...>, kind_list<Rest...>> {};

template <class... Found, class Rule, class... Rest>
struct bit_filters_of<::testing::Types<Found...>, kind_list<filter<bit_cells<Rule>>, Rest...>>
    : bit_filters_of<::testing::Types<Found..., filter<bit_cells<Rule>>>, kind_list<Rest...>> {};

using BitFilters = bit_filters_of<::testing::Types<>, all_kinds>::type;
TYPED_TEST_SUITE(BitFilter, BitFilters);

TYPED_TEST(BitFilter, StateDependsOnTheSetAlone) {
  auto keys = numbered_digests(20, 1000);
  auto ordered = TypeParam::for_keys(1000, 0.01);
  ordered.insert(keys);
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(1));
  auto shuffled = TypeParam::for_keys(1000, 0.01);
  for (const digest d : keys) shuffled.insert(d);
  EXPECT_EQ(state_of(ordered), state_of(shuffled));

  const auto ones = ordered.cells().bits().count();
  for (const digest d : keys) EXPECT_FALSE(ordered.insert(d));
  EXPECT_EQ(ordered.cells().bits().count(), ones) << "insertion is idempotent";
}

TYPED_TEST(BitFilter, UnionOfHalvesIsTheWhole) {
  auto whole = TypeParam::for_keys(1000, 0.01);
  whole.insert(numbered_digests(21, 1000));
  auto half = TypeParam::for_keys(1000, 0.01);
  half.insert(numbered_digests(21, 500));
  auto other = TypeParam::for_keys(1000, 0.01);
  other.insert(numbered_digests(21, 500, 500));
  half.merge(other);
  EXPECT_EQ(state_of(half), state_of(whole));
}

TYPED_TEST(BitFilter, OnesNeverFall) {
  auto filter = TypeParam::for_keys(100, 0.1);
  std::uint64_t before = 0;
  for (const digest d : numbered_digests(22, 300)) {
    const bool fresh = filter.insert(d);
    const std::uint64_t ones = filter.cells().bits().count();
    EXPECT_EQ(fresh, ones > before);
    before = ones;
  }
}

TYPED_TEST(BitFilter, CurrentRateIsTheInstanceRate) {
  auto filter = TypeParam::for_keys(3000, 0.05);
  filter.insert(numbered_digests(23, 3000));
  constexpr std::uint64_t asked = 1'000'000;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < asked; ++i) {
    hits += std::uint64_t{filter.may_contain(numbered_digest(24, i))};
  }
  // Given the bits, answers to strangers are independent coins of exactly this rate.
  EXPECT_TRUE(plausible_count(hits, asked, filter.current_rate()));
}

TYPED_TEST(BitFilter, AFullFilterIsSaturatedNotANumber) {
  auto filter = TypeParam::for_keys(10, 0.1);
  while (filter.fill() < 1) filter.insert(numbered_digest(25, filter.record().items));
  const math::estimate keys = filter.estimated_keys();
  EXPECT_TRUE(keys.saturated);
  EXPECT_GT(keys.low, 0);
  EXPECT_EQ(filter.current_rate(), 1);
}

// The mean estimate over many filters is the truth, to the predicted error of the mean plus the
// O(1/m) bias of the logarithm, which is far below it at these sizes.
TYPED_TEST(BitFilter, EstimatesAreUnbiasedWithThePredictedSpread) {
  constexpr int filters = 400;
  constexpr std::uint64_t n = 2000;
  const auto shape = TypeParam::plan(n, 0.01);
  double sum = 0;
  double squares = 0;
  int covered = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    TypeParam filter(shape);
    filter.insert(numbered_digests(3000 + i, n));
    const math::estimate e = filter.estimated_keys(0.95);
    sum += e.value;
    squares += e.value * e.value;
    covered += e.low <= n && n <= e.high ? 1 : 0;
  }
  const double mean = sum / filters;
  const double sample_variance = (squares - sum * mean) / (filters - 1);
  const double predicted = TypeParam::cells_type::layout(shape).estimate_covariance(n);
  EXPECT_TRUE(plausible_value(mean, n, std::sqrt(predicted / filters)));
  // A sample variance of normal values spreads by sqrt(2/(N-1)) of itself.
  EXPECT_TRUE(plausible_value(sample_variance / predicted, 1, std::sqrt(2.0 / (filters - 1))));
  EXPECT_TRUE(plausible_count(static_cast<std::uint64_t>(covered), filters, 0.95));
}

// Rates from a machine word to ten million bits; sizes that are no multiple of 64 among them.
template <class F>
struct rate_case {
  typename F::shape_type shape;
  std::uint64_t keys, filters, asked;
};
template <class F>
void check_rates(const std::vector<rate_case<F>>& small, const rate_case<F>& large) {
  for (const auto& [shape, keys, filters, asked] : small) {
    EXPECT_TRUE(rate_as_predicted<F>(shape, keys, filters, asked)) << keys << " keys";
  }
  const auto filter = large_filter<F>(large.shape, large.keys);
  EXPECT_TRUE(large_rate_as_predicted(filter, large.keys, large.asked));
}
TEST(StandardRate, IsAsPredictedAtEverySize) {
  check_rates<standard_filter>(
      {{{32, 6}, 4, 100'000, 10}, {{1001, 7}, 100, 4000, 500}, {{65537, 5}, 9000, 100, 10'000}},
      {{10'000'019, 7}, 1'000'000, 1, 2'000'000});
}
TEST(PartitionedRate, IsAsPredictedAtEverySize) {
  check_rates<partitioned_filter>(
      {{{5, 6}, 4, 100'000, 10}, {{143, 7}, 100, 4000, 500}, {{13107, 5}, 9000, 100, 10'000}},
      {{1'428'571, 7}, 1'000'000, 1, 2'000'000});
}
TEST(BlockedRate, IsAsPredictedAtEverySize) {
  check_rates<blocked_filter>(
      {{{1, 6}, 60, 20'000, 50}, {{3, 7}, 150, 5000, 200}, {{128, 16}, 4000, 100, 10'000}},
      {{19'531, 5}, 1'250'000, 1, 2'000'000});
}

#ifndef BLOOMERY_SANITIZED  // a gigabyte
// 2^33 bits, sparsely filled: an index cut to 32 bits would double the rate.
template <class F>
void check_rate_at_a_gigabyte(const typename F::shape_type& shape) {
  if (full_factor() == 1) GTEST_SKIP() << "--full: a gigabyte";
  constexpr std::uint64_t n = 40'000'000;
  const F filter = large_filter<F>(shape, n);
  ASSERT_EQ(filter.cells().bits().size(), std::uint64_t{1} << 33);
  EXPECT_GT(filter.cells().bits().count(std::uint64_t{1} << 32, std::uint64_t{1} << 33), n / 2);
  EXPECT_TRUE(large_rate_as_predicted(filter, n, 20'000'000));
}
TEST(StandardRate, AtAGigabyte) {
  check_rate_at_a_gigabyte<standard_filter>({std::uint64_t{1} << 33, 2});
}
TEST(PartitionedRate, AtAGigabyte) {
  check_rate_at_a_gigabyte<partitioned_filter>({std::uint64_t{1} << 32, 2});
}
TEST(BlockedRate, AtAGigabyte) {
  check_rate_at_a_gigabyte<blocked_filter>({std::uint64_t{1} << 24, 2});
}
#endif

TEST(Partitioned, AtMostOneBitPerKeyAndSlice) {
  partitioned_filter filter({100, 7});
  filter.insert(numbered_digests(28, 30));
  for (std::uint64_t slice = 0; slice < 7; ++slice) {
    EXPECT_LE(filter.cells().bits().count(100 * slice, 100 * slice + 100), 30U);
    EXPECT_GT(filter.cells().bits().count(100 * slice, 100 * slice + 100), 0U);
  }
}

TEST(BitFilterShapes, AbsurdOnesAreRefused) {
  EXPECT_TRUE(throws_error(errc::invalid, "bits is 0; allowed: 1 to", [] {
    standard_filter filter({0, 7});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes is 65; allowed: 1 to 64", [] {
    standard_filter filter({100, 65});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "bits is 9223372036854775808", [] {
    standard_filter filter({std::uint64_t{1} << 63, 7});
  }));
  EXPECT_TRUE(throws_error(errc::limit, "slices", [] {
    partitioned_filter filter({max_bits, 2});
  }));
}

}  // namespace
}  // namespace bloomery::testing
