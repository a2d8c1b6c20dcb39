#include "bloomery/filters/hashed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/filters/map/fuse.hpp"
#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using words = hashed<standard_filter>;

TEST(Hashed, TheSameBytesAreTheSameKeyHoweverHeld) {
  words seen(100, 1e-6);
  EXPECT_TRUE(seen.insert("abc"));
  const std::array<unsigned char, 3> bytes{'a', 'b', 'c'};
  EXPECT_FALSE(seen.insert(std::string("abc")));
  EXPECT_TRUE(seen.may_contain(std::string_view("abc")));
  EXPECT_TRUE(seen.may_contain(bytes));
  EXPECT_TRUE(seen.may_contain(std::as_bytes(std::span(bytes))));
  EXPECT_FALSE(seen.may_contain(std::string("abc\0", 4))) << "a zero byte is a byte";
}

TEST(Hashed, CarriesItsHashAndPromise) {
  const words seen(100, 0.01, xxh3_hash(7));
  EXPECT_EQ(seen.filter().record().hash, (hash_identity{hash_id::xxh3, 7}));
  EXPECT_EQ(seen.filter().record().promised, (promise{100, 0.01}));
}

TEST(Hashed, AFilterOfAnotherHashIsRefused) {
  const auto filter_with = [](hash_identity hash) {
    return standard_filter::for_keys(100, 0.01, hash);
  };
  EXPECT_NO_THROW(words(filter_with({})));
  EXPECT_TRUE(
      throws_error(errc::incompatible, "the seed differs: xxh3 seed 0x7 against xxh3 seed", [&] {
        words{filter_with({hash_id::xxh3, 7})};
      }));
  EXPECT_TRUE(throws_error(errc::incompatible, "the hash function differs", [&] {
    words{filter_with({hash_id::integer, default_seed})};
  }));
  std::array<std::byte, keyed_hash::secret_bytes> secret{};
  const keyed_hash mine(secret);
  secret[0] = std::byte{1};
  const keyed_hash other(secret);
  using keyed_words = hashed<standard_filter, keyed_hash>;
  EXPECT_NO_THROW(keyed_words(filter_with(mine.identity()), mine));
  EXPECT_TRUE(throws_error(errc::incompatible, "the key fingerprint differs",
                           [&] { keyed_words(filter_with(mine.identity()), other); }));
}

TEST(Hashed, BatchesAreAsSingleKeys) {
  hashed<blocked_filter, integer_hash> one_by_one(1000, 0.01);
  hashed<blocked_filter, integer_hash> batched(1000, 0.01);
  std::vector<std::uint64_t> keys;  // beyond one group of digests, and not a whole number of them
  for (std::uint64_t i = 0; i < 700; ++i) keys.push_back(i * i);
  std::uint64_t fresh = 0;
  for (const std::uint64_t key : keys) fresh += std::uint64_t{one_by_one.insert(key)};
  EXPECT_EQ(batched.insert_all(std::span<const std::uint64_t>(keys)), fresh);
  for (std::uint64_t i = 0; i < 700; ++i) keys.push_back(i * i + 1'000'000);
  std::array<bool, 1400> answers{};
  const std::uint64_t hits = batched.may_contain_all(std::span<const std::uint64_t>(keys), answers);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(answers.at(i), one_by_one.may_contain(keys[i]));
    expected += std::uint64_t{answers.at(i)};
  }
  EXPECT_EQ(hits, expected);
  EXPECT_GE(hits, 700U);
}

TEST(Hashed, IsBuiltOfAllItsKeys) {
  const xxh3_hash hash(7);
  const std::vector<std::string> keys{"ape", "bee", "cat", "bee"};
  const auto beasts = hashed<fuse_filter>::build(keys, 1e-6, hash, 2);
  for (const std::string& key : keys) EXPECT_TRUE(beasts.may_contain(key));
  EXPECT_FALSE(beasts.may_contain("dog"));
  const filter_record record = beasts.filter().record();
  EXPECT_EQ(record.hash, hash.identity());
  EXPECT_EQ(record.promised, (promise{4, 1e-6}));
  EXPECT_EQ(record.items, 4U);
  const auto none = hashed<fuse_filter>::build(std::vector<std::string>{}, 0.5);
  EXPECT_FALSE(none.may_contain("ape"));
}

}  // namespace
}  // namespace bloomery::testing
