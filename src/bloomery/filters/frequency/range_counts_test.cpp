#include "bloomery/filters/frequency/range_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/count_min.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// So wide that hardly a range shares its counters with another: counts and quantiles are those of the
// sorted numbers, at every width, the ends included.
TEST(range_counts, are_those_of_the_sorted_numbers) {
  for (const unsigned bits : {1U, 5U, 12U, 63U, 64U}) {
    SCOPED_TRACE(bits);
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
    range_counts counts({.width = 1 << 18, .depth = 8}, bits);
    std::vector<std::uint64_t> numbers{0, largest, largest};
    for (std::uint64_t i = 0; i < 300; ++i) numbers.push_back(hash::mix(i) & largest);
    for (const std::uint64_t number : numbers) counts.insert(number);
    std::ranges::sort(numbers);
    const auto between = [&](std::uint64_t low, std::uint64_t high) {
      return static_cast<std::uint64_t>(std::ranges::upper_bound(numbers, high) -
                                        std::ranges::lower_bound(numbers, low));
    };
    EXPECT_EQ(counts.size(), numbers.size());
    EXPECT_EQ(counts.count(0, largest), numbers.size());
    EXPECT_EQ(counts.count(largest, largest), between(largest, largest));
    for (std::uint64_t i = 0; i < 200; ++i) {
      const std::uint64_t one = hash::mix(1000 + i) & largest;
      const std::uint64_t two = hash::mix(5000 + i) & largest;
      const auto [low, high] = std::minmax(one, two);
      EXPECT_EQ(counts.count(low, high), between(low, high)) << low << ' ' << high;
    }
    for (const double share : {0.0, 0.25, 0.5, 0.999, 1.0}) {
      const double rank = std::max(1.0, std::ceil(share * static_cast<double>(numbers.size())));
      EXPECT_EQ(counts.quantile(share), numbers[static_cast<std::size_t>(rank) - 1]) << share;
    }
    EXPECT_TRUE(counts.erase(largest));
    EXPECT_EQ(counts.count(0, largest), numbers.size() - 1);
  }
}

// Narrow sketches: never too low, and beyond the bound as rarely as it says. 300 ranges of 10 sketches.
TEST(range_counts, err_as_the_bound_says) {
  constexpr unsigned bits = 10;
  constexpr std::uint64_t n = 2000;
  const count_min_shape shape{.width = 2000, .depth = 6};
  std::uint64_t strays = 0;
  for (std::uint64_t trial = 0; trial < 10; ++trial) {
    range_counts counts(shape, bits);
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < n; ++i) {
      numbers.push_back(hash::mix(trial * n + i) % 1024);
      counts.insert(numbers.back());
    }
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t low = hash::mix(i) % 512;
      const std::uint64_t high = low + hash::mix(~i) % 512;
      const auto truth = static_cast<std::uint64_t>(
          std::ranges::count_if(numbers, [&](auto x) { return low <= x && x <= high; }));
      const std::uint64_t told = counts.count(low, high);
      ASSERT_GE(told, truth);
      const double bound = 2 * bits * (bits + 1) * math::count_min_epsilon(shape.width) * n;
      strays += std::uint64_t{static_cast<double>(told - truth) > bound};
    }
  }
  EXPECT_TRUE(plausible_limit(strays, 3000, 2 * bits * math::count_min_delta(shape.depth)));
}

TEST(range_counts, refuse_numbers_that_are_too_large) {
  range_counts counts({.width = 100, .depth = 2}, 8);
  EXPECT_TRUE(throws_error(errc::invalid, "allowed: 0 to 255", [&] { counts.insert(256); }));
  EXPECT_TRUE(throws_error(errc::invalid, "beyond its end", [&] { (void)counts.count(9, 8); }));
  EXPECT_TRUE(throws_error(errc::invalid, "share", [&] { (void)counts.quantile(1.5); }));
  EXPECT_TRUE(throws_error(errc::invalid, "bits is 0",
                           [] { (void)range_counts({.width = 100, .depth = 2}, 0); }));
  EXPECT_FALSE(counts.erase(7));
}

}  // namespace
}  // namespace bloomery::testing
