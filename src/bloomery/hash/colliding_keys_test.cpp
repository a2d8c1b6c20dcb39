// Keys that are made to collide. XXH3 multiplies words of the key by constants that its seed, which
// every file names, determines: where one factor is made 0, the other is free.
#define XXH_STATIC_LINKING_ONLY
#define XXH_INLINE_ALL
#include <gtest/gtest.h>
#include <xxhash.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "bloomery/hash/policies.hpp"
#include "bloomery/hash/universal.hpp"

namespace bloomery {
namespace {

using word = std::uint64_t;

void put(std::string& key, std::size_t at, word value) {
  core::store_le(reinterpret_cast<std::byte*>(key.data()) + at, value);
}

// Words of XXH3's secret for a seed.
struct seeded_words {
  std::array<std::byte, XXH3_SECRET_DEFAULT_SIZE> bytes{};
  explicit seeded_words(word seed) { XXH3_generateSecret_fromSeed(bytes.data(), seed); }
  [[nodiscard]] word operator[](std::size_t i) const {
    return core::load_le<word>(bytes.data() + 8 * i);
  }
};

// Long keys: word 0 of stripe n, xored with word n of the secret, adds the product of its halves to one
// sum, and the word itself to another. With the lower halves 0 all products are, and what one stripe
// adds the next takes away.
std::vector<std::string> long_keys(word seed, std::size_t count) {
  constexpr word lower = 0xffff'ffff;
  const seeded_words secret(seed);
  std::vector<std::string> keys;
  for (word i = 0; i < count; ++i) {
    std::string key(320, 'x');
    put(key, 0, (secret[0] & lower) + (i << 32));
    put(key, 64, (secret[1] & lower) - (i << 32));
    keys.push_back(key);
  }
  return keys;
}

// Keys of 32 bytes: each half is a product of two words, each added to one of the secret's, and their
// sum. Either factor may be the one that is 0.
std::vector<std::string> short_keys(word seed) {
  constexpr std::array sums{word{12345}, word{67890}};
  constexpr std::array<word, 4> published{0xbe4ba423396cfeb8, 0x1cad21f72c81017c,
                                          0xdb979083e96dd4de, 0x1f67b3b7a4a44072};
  std::vector<std::string> keys;
  for (unsigned choice = 0; choice < 4; ++choice) {
    std::string key(32, '\0');
    for (unsigned half = 0; half < 2; ++half) {
      const word first = published[2 * half] + seed;
      const word second = published[2 * half + 1] - seed;
      const bool which = (choice >> half & 1) != 0;
      put(key, 16 * half, which ? first : sums[half] - second);
      put(key, 16 * half + 8, which ? sums[half] - first : second);
    }
    keys.push_back(key);
  }
  return keys;
}

std::size_t digests(const auto& hash, const std::vector<std::string>& keys) {
  std::set<digest> found;
  for (const std::string& key : keys) found.insert(hash(key));
  return found.size();
}

universal_hash drawn_hash(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::array<std::byte, universal_hash::secret_bytes> drawn{};
  for (std::byte& each : drawn) each = static_cast<std::byte>(random());
  return universal_hash(drawn);
}

// 20,000 keys, under the default seed and another: whoever reads the seed makes them.
TEST(colliding_keys, cost_nothing_to_make_for_xxh3_and_do_not_collide_under_a_key) {
  const std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{7}};
  for (const word seed : {default_seed, word{0x0123456789abcdef}}) {
    for (const auto& keys : {long_keys(seed, 20'000), short_keys(seed)}) {
      ASSERT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
      EXPECT_EQ(digests(xxh3_hash(seed), keys), 1U);
      EXPECT_EQ(digests(keyed_hash(secret), keys), keys.size());
      for (std::uint64_t drawn = 1; drawn < 4; ++drawn) {
        EXPECT_EQ(digests(drawn_hash(drawn), keys), keys.size());
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
