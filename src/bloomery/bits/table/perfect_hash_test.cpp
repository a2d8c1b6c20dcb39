#include "bloomery/bits/table/perfect_hash.hpp"

#include "parts.hpp"

namespace bloomery::bits {
namespace {

using testing::bytes_of;
using testing::numbered_digests;
using testing::throws_error;

::testing::AssertionResult numbers_all(const perfect_hash& hash, std::span<const digest> keys) {
  std::vector<bool> used(hash.range());
  for (const digest d : keys) {
    const std::uint64_t number = hash(d);
    if (number >= hash.range())
      return ::testing::AssertionFailure() << number << " is out of range";
    if (used[number]) return ::testing::AssertionFailure() << number << " is given twice";
    used[number] = true;
  }
  return ::testing::AssertionSuccess();
}

// Every small number of keys, and sets much smaller than the range.
TEST(perfect_hash, is_bijective_on_its_keys) {
  for (std::uint64_t n = 1; n <= 200; ++n) {
    for (std::uint64_t set = 0; set < 3; ++set) {
      const auto keys = numbered_digests(10 * n + set, n);
      const auto hash = perfect_hash::of(n, keys);
      ASSERT_TRUE(numbers_all(hash, keys)) << n;
      ASSERT_EQ(hash.keys(), n);
      ASSERT_TRUE(numbers_all(perfect_hash::of(3 * n, keys), keys)) << n;
    }
  }
}

// A perfect hash need not cost more than 3 bits a key, with everything stored counted. A stranger's
// number is in the range as well (Broder, Mitzenmacher 2004, §2.2, looks up P(x) for every x).
TEST(perfect_hash, takes_at_most_three_bits_a_key) {
  for (const std::uint64_t n : {10'000U, 200'000U}) {
    auto keys = numbered_digests(7, n);
    const auto hash = perfect_hash::of(n, keys);
    EXPECT_TRUE(numbers_all(hash, keys));
    EXPECT_EQ(bytes_of(hash).size(), perfect_hash::stored_bytes(n));
    const double bits = 8 * static_cast<double>(bytes_of(hash).size()) / static_cast<double>(n);
    EXPECT_LT(bits, 2.55);
    for (const digest d : numbered_digests(8, 100'000)) ASSERT_LT(hash(d), n);
  }
}

// So many that buckets are looked at ahead of their turn.
TEST(perfect_hash, is_the_same_on_any_number_of_threads) {
  const auto keys = numbered_digests(5, 120'000);
  const auto alone = perfect_hash::of(keys.size(), keys);
  EXPECT_TRUE(numbers_all(alone, keys));
  const auto together = perfect_hash::of(keys.size(), keys, 3);
  EXPECT_EQ(bytes_of(alone), bytes_of(together));
}

TEST(perfect_hash, order_and_repeats_do_not_matter) {
  auto keys = numbered_digests(3, 3000);
  const auto hash = perfect_hash::of(3000, keys);
  for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(keys[hash::mix(i) % 3000]);
  std::reverse(keys.begin(), keys.end());
  const auto again = perfect_hash::of(3000, keys);
  EXPECT_EQ(again.keys(), 3000U);
  for (const digest d : keys) ASSERT_EQ(again(d), hash(d));
}

TEST(perfect_hash, refuses_more_keys_than_numbers) {
  EXPECT_TRUE(throws_error(errc::limit, "101 distinct keys do not fit",
                           [] { (void)perfect_hash::of(100, numbered_digests(1, 101)); }));
}

TEST(perfect_hash, stored_bytes_are_checked) {
  const auto hash = perfect_hash::of(50, numbered_digests(9, 50));
  const auto bytes = bytes_of(hash);
  const auto with = [&](std::size_t at, unsigned value) {
    storage stored = testing::owned(bytes);
    stored.bytes_for_writing()[at] = static_cast<std::byte>(value);
    return perfect_hash(50, std::move(stored));
  };
  const auto same = with(0, std::to_integer<unsigned>(bytes[0]));
  for (const digest d : numbered_digests(9, 100)) EXPECT_EQ(same(d), hash(d));
  EXPECT_TRUE(throws_error(errc::corrupt, "range", [&] { (void)with(0, 64); })) << "attempt";
  EXPECT_TRUE(throws_error(errc::corrupt, "range", [&] { (void)with(8, 51); })) << "keys";
  EXPECT_TRUE(throws_error(errc::corrupt, "range", [&] { (void)with(64 + 15, 1); })) << "padding";
  EXPECT_TRUE(throws_error(errc::corrupt, "range", [&] { (void)with(128, 50); })) << "spare";
}

}  // namespace
}  // namespace bloomery::bits
