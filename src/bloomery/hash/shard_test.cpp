#include "bloomery/hash/shard.hpp"

#include <vector>

#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Filters are stored by it: it is what it was.
TEST(shard_of, stays_as_it_is) {
  EXPECT_EQ(hash::shard_of({0, 0}, 1'000'000), 931110U);
  EXPECT_EQ(hash::shard_of({1, 2}, 1'000'000), 954501U);
  EXPECT_EQ(hash::shard_of({~std::uint64_t{0}, 5}, 1'000'000), 460741U);
}

// Also where one half of the digest is the same for all, and where the other counts.
TEST(shard_of, is_uniform_in_either_half) {
  constexpr std::uint64_t keys = 120'000;
  constexpr std::uint64_t shards = 12;
  const auto expect_even = [&](const auto& digest_of) {
    std::vector<std::uint64_t> loads(shards);
    for (std::uint64_t i = 0; i < keys; ++i) ++loads[hash::shard_of(digest_of(i), shards)];
    for (const std::uint64_t load : loads) EXPECT_TRUE(plausible_count(load, keys, 1.0 / shards));
  };
  expect_even([](std::uint64_t i) { return digest{i, 7}; });
  expect_even([](std::uint64_t i) { return digest{7, i}; });
  expect_even([](std::uint64_t i) { return digest{i << 40, 7}; });
  expect_even([](std::uint64_t i) { return digest{7, i << 40}; });
  expect_even([](std::uint64_t i) { return digest{hash::mix(i), hash::mix(i + keys)}; });
}

}  // namespace
}  // namespace bloomery::testing
