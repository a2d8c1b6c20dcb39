#include "bloomery/hash/keyed_kernels.hpp"

#include <list>
#include <string>
#include <vector>

#include "bloomery/core/simd.hpp"
#include "bloomery/hash/key_batch.hpp"
#include "bloomery/hash/policies.hpp"
#include "made_keys.hpp"
#include "testing.hpp"

namespace bloomery::hash {
namespace {

// Bytes that repeat nowhere, in memory of just their size.
std::vector<char> any_bytes(std::uint64_t seed, std::size_t size) {
  std::vector<char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(mix(seed + i * golden));
  return bytes;
}

keyed_hash hash_of_secret(std::uint64_t seed) {
  const std::vector<char> secret = any_bytes(seed, keyed_hash::secret_bytes);
  return keyed_hash(std::as_bytes(std::span(secret)));
}

// Each batch on every back end, against one key at a time, which is the library's.
void expect_as_one_by_one(const keyed_hash& hash, const std::vector<std::vector<char>>& keys) {
  const std::vector<std::string_view> views = [&] {
    std::vector<std::string_view> all;
    for (const auto& key : keys) all.emplace_back(key.data(), key.size());
    return all;
  }();
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    std::vector<digest> digests(keys.size() + 1, digest{7, 7});
    hash.all(views, digests.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(digests[i], hash(keys[i])) << core::name_of(which) << ' ' << keys[i].size();
    }
    EXPECT_EQ(digests.back(), (digest{7, 7})) << "nothing beyond the batch";
  }
}

TEST(keyed_kernels, agree_with_the_library_on_keys_of_every_length) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const keyed_hash hash = hash_of_secret(seed);
    for (std::size_t size = 0; size <= 300; ++size) {
      std::vector<std::vector<char>> alike;
      for (std::uint64_t i = 0; i < 17; ++i) alike.push_back(any_bytes(seed << 32 | i << 20, size));
      expect_as_one_by_one(hash, alike);
    }
  }
}

TEST(keyed_kernels, agree_where_neighbours_differ_in_length) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::uint64_t longest = 1 + mix(seed) % 300;
    std::vector<std::vector<char>> keys;
    for (std::uint64_t i = 0; i < 40; ++i) {
      keys.push_back(any_bytes(i << 20, mix(seed << 32 | i) % longest));
    }
    expect_as_one_by_one(hash_of_secret(seed), keys);
  }
}

TEST(keyed_kernels, agree_for_batches_of_every_length) {
  std::vector<std::vector<char>> keys;
  for (std::uint64_t count = 0; count < 70; ++count) {
    expect_as_one_by_one(hash_of_secret(1), keys);
    keys.push_back(any_bytes(count << 20, 20));
  }
}

// However keys are held, and whatever the policy, a batch is its keys.
template <class Policy>
void expect_batches_of_any_keys(const Policy& hash) {
  std::vector<std::string> strings;
  for (int i = 0; i < 200; ++i) strings.push_back("key " + std::to_string(i * i * i));
  const auto expect_all = [&](const auto& keys) {
    std::vector<digest> digests(strings.size());
    EXPECT_EQ(hash_keys(hash, keys.begin(), strings.size(), digests.data()), keys.end());
    for (std::size_t i = 0; i < strings.size(); ++i) ASSERT_EQ(digests[i], hash(strings[i])) << i;
  };
  expect_all(strings);
  expect_all(std::vector<std::string_view>(strings.begin(), strings.end()));
  expect_all(std::list<std::string>(strings.begin(), strings.end()));
  std::vector<std::vector<std::byte>> bytes;
  for (const std::string& key : strings) {
    const byte_view view = bytes_of(key);
    bytes.emplace_back(view.begin(), view.end());
  }
  expect_all(bytes);
}

TEST(key_batch, hashes_keys_of_any_form_as_one_by_one) {
  expect_batches_of_any_keys(xxh3_hash{});
  expect_batches_of_any_keys(xxh3_hash{7});
  expect_batches_of_any_keys(hash_of_secret(5));
}

TEST(key_batch, takes_no_keys_that_go_away) {
  EXPECT_TRUE(keys_that_stay<std::vector<std::string>>);
  EXPECT_TRUE(keys_that_stay<std::vector<const char*>>);
  EXPECT_FALSE(keys_that_stay<bloomery::testing::made_keys>);
}

}  // namespace
}  // namespace bloomery::hash
