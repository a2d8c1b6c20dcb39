#include "bloomery/bits/table/peeling.hpp"

#include <set>

#include "bloomery/hash/distinct_probes.hpp"
#include "bloomery/math/kinds/bloomier.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digest;
using testing::numbered_digests;

auto slots_of(std::uint64_t slots, std::uint64_t hashes) {
  return [=](digest key) { return hash::positions_of(hash::distinct_probes{slots, hashes}, key); };
}

auto match(std::uint64_t stream, std::uint64_t keys, std::uint64_t slots,
           std::uint64_t hashes = 3) {
  return find_match(numbered_digests(stream, keys), slots, slots_of(slots, hashes));
}

// Definition 3.2: each key is matched to one of its own slots, and to none of a key's before it.
TEST(find_match, respects_the_order) {
  for (const std::uint64_t n : {1U, 2U, 10U, 3000U}) {
    const std::uint64_t slots = math::bloomier_slots(n, 3);
    std::uint64_t stream = 1;
    auto order = match(stream, n, slots);
    while (!order) order = match(++stream, n, slots);
    ASSERT_EQ(order->size(), n);
    std::set<std::uint64_t> seen;
    std::set<std::uint64_t> keys;
    for (const matched_key& next : *order) {
      const hash::positions own = slots_of(slots, 3)(numbered_digest(stream, next.key));
      EXPECT_TRUE(own.contains(next.slot));
      EXPECT_FALSE(seen.contains(next.slot));
      for (const std::uint64_t slot : own) seen.insert(slot);
      EXPECT_TRUE(keys.insert(next.key).second);
    }
  }
}

TEST(find_match, of_no_keys_is_empty) {
  EXPECT_TRUE(match(1, 0, 3)->empty());
}

// Tables of 3 slots a key can be peeled above 1.222 slots a key (Molloy 2005). At n = 200,000 a
// table of 1.21 fails in five trials of five, and one of 1.225 succeeds.
TEST(find_match, succeeds_above_the_threshold_only) {
  constexpr std::uint64_t n = 200'000;
  for (std::uint64_t stream = 1; stream <= 5; ++stream) {
    EXPECT_FALSE(match(stream, n, 242'000));
    EXPECT_TRUE(match(stream, n, 245'000));
  }
}

// What math/kinds/bloomier.hpp promises of an attempt: 400 each, more than 1 in 6 at 1e-6.
TEST(find_match, mostly_succeeds_at_planned_sizes) {
  for (std::uint64_t hashes = 3; hashes <= 8; ++hashes) {
    for (const std::uint64_t n : {2U, 10U, 50U, 300U}) {
      const std::uint64_t slots = math::bloomier_slots(n, hashes);
      std::uint64_t failed = 0;
      for (std::uint64_t stream = 0; stream < 400; ++stream) {
        failed += std::uint64_t{!match(stream, n, slots, hashes)};
      }
      EXPECT_LT(failed, 100U) << hashes << " hashes, " << n << " keys";
    }
  }
}

// Every one of the C(6, 3) sets of slots alike, in 20,000 draws.
TEST(distinct_probes, draw_every_set_alike) {
  std::vector<std::uint64_t> sets(64);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t set = 0;
    for (const std::uint64_t slot : slots_of(6, 3)(numbered_digest(9, i)))
      set |= std::uint64_t{1} << slot;
    ++sets[set];
  }
  std::erase(sets, 0);
  EXPECT_EQ(sets.size(), 20U);
  EXPECT_TRUE(testing::plausibly_uniform(sets));
}

}  // namespace
}  // namespace bloomery::bits
