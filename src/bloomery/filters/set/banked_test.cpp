#include "bloomery/filters/set/banked.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Tarkoma §IV-F asks for banks that do not conflict: k different ones, in a row on the ring, every
// start alike.
TEST(banked, a_key_takes_k_banks_in_a_row) {
  constexpr std::uint64_t banks = 11;
  constexpr std::uint64_t k = 7;
  const hash::banked_probes probes = banked_rule::probe({64, banks, k});
  std::vector<std::uint64_t> starts(banks);
  std::vector<std::uint64_t> inside(64);
  for (const digest d : numbered_digests(1, 20'000)) {
    std::vector<std::uint64_t> seen;
    probes.all(d, [&](std::uint64_t at) {
      seen.push_back(at / 64);
      ++inside[at % 64];
      return true;
    });
    ASSERT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), k);
    for (std::uint64_t i = 1; i < k; ++i) EXPECT_EQ(seen[i], (seen[0] + i) % banks);
    ++starts[seen[0]];
  }
  EXPECT_TRUE(plausibly_uniform(starts));
  EXPECT_TRUE(plausibly_uniform(inside));
}

// Banks so small that keys in common show: taking probes to be independent is off by a sixth here,
// and the sample sees a hundredth.
TEST(banked, the_rate_is_exact_for_small_banks) {
  EXPECT_TRUE(rate_as_predicted<banked_filter>({8, 16, 5}, 20, 4000, 500));
  EXPECT_TRUE(rate_as_predicted<banked_filter>({64, 3, 3}, 40, 1000, 500));
}

TEST(banked, a_key_has_no_two_bits_in_a_bank) {
  EXPECT_TRUE(throws_error(errc::invalid, "hashes, of different banks, is 5; allowed: 1 to 4", [] {
    banked_filter filter({100, 4, 5});
  }));
  EXPECT_TRUE(throws_error(errc::limit, "banks", [] { banked_filter filter({max_bits, 2, 1}); }));
}

}  // namespace
}  // namespace bloomery::testing
