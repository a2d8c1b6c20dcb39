#include "bloomery/filters/set/multi_blocked.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Putze et al. 2007: some bits in each of X lines; every line of a part alike, and the lines of a key
// independent of each other.
TEST(multi_blocked, a_key_is_in_one_line_of_each_part) {
  constexpr std::uint64_t blocks = 5;
  constexpr std::uint64_t parts = 3;
  constexpr std::uint64_t hashes = 4;
  const auto probes = multi_blocked_rule::probe({blocks, parts, hashes});
  std::vector<std::uint64_t> lines(blocks * blocks);  // of the first part, by that of the second
  for (const digest d : numbered_digests(1, 50'000)) {
    std::vector<std::set<std::uint64_t>> of_part(parts);
    std::set<std::uint64_t> positions;
    hash::each_position(probes, d, [&](std::uint64_t at) {
      positions.insert(at);
      of_part[at / (blocks * cache_line_bits)].insert(at / cache_line_bits % blocks);
    });
    ASSERT_EQ(positions.size(), parts * hashes) << "lanes are different ones up to eight hashes";
    for (const auto& of_line : of_part) ASSERT_EQ(of_line.size(), 1U);
    ++lines[*of_part[0].begin() * blocks + *of_part[1].begin()];
  }
  EXPECT_TRUE(plausibly_uniform(lines));
}

// The bits within a line are independent of which line it is.
TEST(multi_blocked, positions_do_not_follow_from_the_line) {
  const auto probes = multi_blocked_rule::probe({2, 2, 8});
  std::vector<std::uint64_t> at_line(2 * 64);
  for (const digest d : numbered_digests(2, 30'000)) {
    std::uint64_t first = probes.range();
    hash::each_position(probes, d, [&](std::uint64_t at) { first = std::min(first, at); });
    ++at_line[first / cache_line_bits * 64 + first % 64];  // one bit in the first lane
  }
  EXPECT_TRUE(plausibly_uniform(at_line));
}

// Rates from a handful of keys to thousands, with one to four parts.
TEST(multi_blocked, rates_are_exact) {
  for (const std::uint64_t parts : {1U, 2U, 4U}) {
    for (const std::uint64_t n : {1U, 20U, 3000U}) {
      const auto size = math::plan_multi_blocked(n, 0.05, parts);
      EXPECT_TRUE(
          rate_as_predicted<multi_blocked_filter>({size.blocks, parts, size.hashes}, n, 200, 500))
          << parts << " parts, " << n << " keys";
    }
  }
}

// What the bits as they are promise is what strangers meet. 400,000 of them.
TEST(multi_blocked, the_rate_of_its_bits_is_what_strangers_meet) {
  const auto filter = filled_with<multi_blocked_filter>(multi_blocked_filter::plan(2000, 0.02),
                                                        numbered_digests(3, 2500));
  std::uint64_t hits = 0;
  for (const digest d : numbered_digests(4, 400'000)) hits += std::uint64_t{filter.may_contain(d)};
  EXPECT_TRUE(plausible_count(hits, 400'000, filter.current_rate()));
}

TEST(multi_blocked, of_bits_halves_what_can_be_halved) {
  const multi_blocked_shape even = multi_blocked_rule::of_bits(2048, 6);
  EXPECT_EQ(values_of(even), values_of(multi_blocked_shape{2, 2, 3}));
  const multi_blocked_shape odd = multi_blocked_rule::of_bits(1536, 7);
  EXPECT_EQ(values_of(odd), values_of(multi_blocked_shape{3, 1, 7}));
  EXPECT_TRUE(throws_error(errc::invalid, "multiples of the 1024",
                           [] { (void)multi_blocked_rule::of_bits(1536, 6); }));
}

}  // namespace
}  // namespace bloomery::testing
