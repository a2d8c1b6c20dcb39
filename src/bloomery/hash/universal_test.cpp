#include "bloomery/hash/universal.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bloomery/core/int128.hpp"
#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using core::uint128;
using testing::plausibly_uniform;
using testing::throws_error;

using drawn_bytes = std::vector<std::byte>;

drawn_bytes drawn(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  drawn_bytes bytes(universal_hash::secret_bytes);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

std::uint64_t number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

constexpr uint128 prime = (uint128{1} << 127) - 1;

// By doubling.
uint128 product_modulo_prime(uint128 a, uint128 b) {
  uint128 result = 0;
  for (int bit = 126; bit >= 0; --bit) {
    result = 2 * result % prime;
    if ((b >> bit & 1) != 0) result = (result + a) % prime;
  }
  return result;
}

// As the page defines it, with no thought of speed. No key of the tests meets a sum that is the prime.
digest defined(const drawn_bytes& secret, std::string_view key) {
  const auto drawn_word = [&](std::size_t i) {
    return core::load_le<std::uint64_t>(secret.data() + 8 * i);
  };
  const auto nh = [&](std::string_view block) {
    std::vector<std::uint64_t> words;
    if (block.size() < 4) {
      const std::string spread{block.empty() ? '\0' : block[block.size() / 2],
                               block.empty() ? '\0' : block[0]};
      words = {number(spread), block.empty() ? 0 : number(block.substr(block.size() - 1))};
    } else {
      const std::size_t size = block.size() < 8 ? 4 : 8;
      for (std::size_t at = 0; at + 2 * size < block.size(); at += 2 * size) {
        words.push_back(number(block.substr(at, size)));
        words.push_back(number(block.substr(at + size, size)));
      }
      const std::size_t last = block.size() < 2 * size ? 0 : block.size() - 2 * size;
      words.push_back(number(block.substr(last, size)));
      words.push_back(number(block.substr(block.size() - size)));
    }
    uint128 sum = 0;
    for (std::size_t i = 0; i < words.size(); i += 2) {
      const std::uint64_t first = words[i] + drawn_word(i);
      const std::uint64_t second = words[i + 1] + drawn_word(i + 1);
      sum += static_cast<uint128>(first) * second;
    }
    return sum;
  };
  constexpr std::size_t block = 1024;
  constexpr std::size_t after_words = block / 8;
  uint128 sum = 0;
  if (key.size() <= block) {
    sum = nh(key);
  } else {
    const uint128 point =
        static_cast<uint128>(drawn_word(after_words + 1) >> 4) << 64 | drawn_word(after_words);
    for (std::size_t at = 0; at < key.size(); at += block) {
      const uint128 value = nh(key.substr(at, block));
      for (const uint128 half : {value & ~std::uint64_t{0}, value >> 64}) {
        sum = (product_modulo_prime(sum, point) + half) % prime;
      }
    }
  }
  sum += static_cast<uint128>(drawn_word(after_words + 2)) * key.size();
  const std::uint64_t first =
      hash::mix(static_cast<std::uint64_t>(sum) ^ drawn_word(after_words + 3));
  const std::uint64_t hi = hash::mix(static_cast<std::uint64_t>(sum >> 64) + first);
  return {first + hi, hi};
}

std::string random_text(std::mt19937_64& random, std::size_t length) {
  std::string text(length, '\0');
  std::ranges::generate(text, [&] { return static_cast<char>(random()); });
  return text;
}

TEST(universal_hash, is_what_its_definition_says) {
  const drawn_bytes secret = drawn(1);
  const universal_hash hash(secret);
  std::mt19937_64 random(2);
  for (std::size_t length = 0; length < 300; ++length) {
    const std::string key = random_text(random, length);
    EXPECT_EQ(hash(key), defined(secret, key)) << length;
  }
  for (const std::size_t length :
       {1008U, 1023U, 1024U, 1025U, 1039U, 1040U, 2047U, 2048U, 2049U, 4096U, 10'000U}) {
    const std::string key = random_text(random, length);
    EXPECT_EQ(hash(key), defined(secret, key)) << length;
  }
}

// All bits set, where sums are largest.
TEST(universal_hash, does_not_overflow) {
  const drawn_bytes secret(universal_hash::secret_bytes, std::byte{0xff});
  const universal_hash hash(secret);
  std::set<digest> found;
  for (const std::size_t length : {16U, 60U, 1024U, 1025U, 5000U, 100'000U}) {
    for (const char filling : {'\0', '\1', '\xff'}) {
      const std::string key(length, filling);
      EXPECT_EQ(hash(key), defined(secret, key)) << length;
      found.insert(hash(key));
    }
  }
  EXPECT_EQ(found.size(), 18U);
}

TEST(universal_hash, depends_on_every_word_of_the_secret) {
  std::mt19937_64 random(3);
  const std::string key = random_text(random, 2000);
  std::set<digest> found{universal_hash(drawn(4))(key)};
  constexpr std::size_t words = universal_hash::secret_bytes / 8;
  for (std::size_t i = 0; i + 1 < words; ++i) {
    drawn_bytes secret = drawn(4);
    secret[8 * i + 7] ^= std::byte{0x80};
    found.insert(universal_hash(secret)(key));
  }
  EXPECT_EQ(found.size(), words);
  drawn_bytes tagged = drawn(4);
  tagged.back() ^= std::byte{1};
  EXPECT_EQ(universal_hash(tagged)(key), universal_hash(drawn(4))(key));
  EXPECT_NE(universal_hash(tagged).identity(), universal_hash(drawn(4)).identity());
  EXPECT_EQ(universal_hash(tagged).identity().id, hash_id::custom);
}

TEST(universal_hash, refuses_a_secret_of_another_size) {
  EXPECT_TRUE(throws_error(errc::invalid, "this one has 32",
                           [] { (void)universal_hash(drawn_bytes(32)); }));
}

// Lengths alone, prefixes, single bits: all distinct, for several secrets.
TEST(universal_hash, tells_keys_apart_that_differ_in_little) {
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 6; seed < 10; ++seed) {
    const universal_hash hash(drawn(seed));
    std::set<digest> found;
    std::size_t keys = 0;
    const auto meet = [&](const std::string& key) {
      found.insert(hash(key));
      ++keys;
    };
    const std::string text = random_text(random, 3000);
    for (std::size_t length = 1; length <= text.size(); ++length) {
      meet(std::string(length, '\0'));
      meet(std::string(length, 'a'));
      meet(text.substr(0, length));
    }
    for (const std::size_t length : {1U, 3U, 7U, 15U, 16U, 17U, 60U, 1100U}) {
      const std::string key = "b" + random_text(random, length);
      for (std::size_t bit = 0; bit < 8 * length; ++bit) {
        std::string changed = key;
        changed[1 + bit / 8] = static_cast<char>(changed[1 + bit / 8] ^ 1 << bit % 8);
        meet(changed);
      }
    }
    EXPECT_EQ(found.size(), keys);
  }
}

// Keys as people have them, 2^16 of a pattern: each half of the digest, in its high and low byte, must be
// uniform, and the halves independent, for each of four secrets.
struct pattern {
  const char* name;
  std::function<std::string(std::uint64_t)> key;
};

class universal_patterns : public ::testing::TestWithParam<pattern> {};

TEST_P(universal_patterns, give_uniform_independent_halves) {
  constexpr std::uint64_t keys = 1 << 16;
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    const universal_hash hash(drawn(seed));
    std::array<std::array<std::uint64_t, 256>, 8> counts{};
    for (std::uint64_t i = 0; i < keys; ++i) {
      const digest d = hash(GetParam().key(i));
      ++counts[0].at(d.lo >> 56);
      ++counts[1].at(d.lo & 255);
      ++counts[2].at(d.hi >> 56);
      ++counts[3].at(d.hi & 255);
      ++counts[4].at((d.lo >> 60) << 4 | d.hi >> 60);
      ++counts[5].at((d.lo & 15) << 4 | (d.hi & 15));
      ++counts[6].at((d.lo >> 60) << 4 | (d.hi & 15));
      ++counts[7].at((d.lo & 15) << 4 | d.hi >> 60);
    }
    for (const auto& each : counts) EXPECT_TRUE(plausibly_uniform(each)) << "secret " << seed;
  }
}

std::string padded(std::uint64_t i, std::size_t before, std::size_t after) {
  const std::string digits = std::to_string(100'000 + i);
  return std::string(before, 'x') + digits + std::string(after, 'y');
}
std::string raw(std::uint64_t value) {
  std::string text(8, '\0');
  core::store_le(reinterpret_cast<std::byte*>(text.data()), value);
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    universal_hash, universal_patterns,
    ::testing::Values(
        pattern{"decimal", [](std::uint64_t i) { return std::to_string(i); }},
        pattern{"two_bytes", [](std::uint64_t i) { return raw(i).substr(0, 2); }},
        pattern{"high_bytes", [](std::uint64_t i) { return raw(i << 48); }},
        pattern{"line_start", [](std::uint64_t i) { return padded(i, 0, 54); }},
        pattern{"line_middle", [](std::uint64_t i) { return padded(i, 27, 27); }},
        pattern{"line_end", [](std::uint64_t i) { return padded(i, 54, 0); }},
        pattern{"long_start", [](std::uint64_t i) { return padded(i, 0, 1100); }},
        pattern{"long_end", [](std::uint64_t i) { return padded(i, 1100, 0); }},
        pattern{"swapped", [](std::uint64_t i) { return raw(i) + raw(~i); }},
        pattern{"lengths", [](std::uint64_t i) { return std::string(i / 16, 'a') + raw(i % 16); }}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace bloomery
