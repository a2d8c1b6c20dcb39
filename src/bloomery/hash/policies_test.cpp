#include "bloomery/hash/policies.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::plausibly_uniform;
using testing::throws_error;

std::array<std::byte, keyed_hash::secret_bytes> counting_secret() {
  std::array<std::byte, keyed_hash::secret_bytes> secret{};
  for (std::size_t i = 0; i < secret.size(); ++i) secret.at(i) = static_cast<std::byte>(i);
  return secret;
}

keyed_hash counting_keyed_hash() {
  return keyed_hash(counting_secret());
}

// However the bytes a, b, c are held, they are one key.
template <class Policy>
void expect_one_key(const Policy& hash) {
  const digest expected = hash(std::string_view("abc"));
  const std::string text = "abc";
  const std::array<char, 3> chars{'a', 'b', 'c'};
  const std::array<std::byte, 3> bytes{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  const std::vector<unsigned char> vector{'a', 'b', 'c'};
  const std::vector<signed char> signed_vector{'a', 'b', 'c'};
  const char* pointer = "abc";
  EXPECT_EQ(hash("abc"), expected);
  EXPECT_EQ(hash(pointer), expected);
  EXPECT_EQ(hash(text), expected);
  EXPECT_EQ(hash(text.c_str()), expected);
  EXPECT_EQ(hash(chars), expected);
  EXPECT_EQ(hash(std::span<const char>(chars)), expected);
  EXPECT_EQ(hash(bytes), expected);
  EXPECT_EQ(hash(std::span<const std::byte>(bytes)), expected);
  EXPECT_EQ(hash(vector), expected);
  EXPECT_EQ(hash(std::span<const unsigned char>(vector)), expected);
  EXPECT_EQ(hash(signed_vector), expected);
  EXPECT_EQ(hash(std::u8string_view(u8"abc")), expected);
  EXPECT_NE(hash(std::string_view("abc\0", 4)), expected);
  EXPECT_NE(hash("abd"), expected);
  EXPECT_NE(hash("ab"), expected);
  EXPECT_EQ(hash(""), hash(std::string()));
  EXPECT_EQ(hash(""), hash(std::vector<std::byte>{}));
  EXPECT_NE(hash(std::string_view("a\0b", 3)), hash("a"));
}

TEST(keys, are_their_bytes_however_held) {
  expect_one_key(xxh3_hash{});
  expect_one_key(xxh3_hash{7});
  expect_one_key(counting_keyed_hash());
}

TEST(keys, of_wider_elements_do_not_compile) {
  static_assert(byte_key<std::string> && byte_key<std::span<const std::byte>>);
  static_assert(!byte_key<std::vector<int>> && !byte_key<std::u16string> && !byte_key<int>);
  static_assert(std::is_invocable_v<xxh3_hash, std::string>);
  static_assert(!std::is_invocable_v<xxh3_hash, int>, "an integer is not a run of bytes");
  static_assert(!std::is_invocable_v<integer_hash, std::string>);
}

TEST(keys, text_of_is_the_inverse_of_bytes_of) {
  const std::string_view text("a\0\xff", 3);
  EXPECT_EQ(text_of(bytes_of(text)), text);
}

// Golden, from the reference implementation's Python binding: the bytes 0, 1, … 250, 0, 1, … under
// the default seed, at the lengths where XXH3 changes its method.
TEST(xxh3_hash, gives_the_reference_digests) {
  struct row {
    std::size_t length;
    digest expected;
  };
  const std::array rows{
      row{0, {0x3af504824e833590, 0xfee3fea7b7f0f768}},
      row{1, {0x96b4efdd249d491e, 0x1e2599302fc4eceb}},
      row{3, {0xe7cceb674885ee0c, 0x55f2f8a7a8b3734f}},
      row{4, {0x1af43d76eb7c2d93, 0x8443129697617c06}},
      row{8, {0xed3adab61f9c24c5, 0xfa8d88fa589d5ee1}},
      row{9, {0x46f2835aceae9934, 0x7b32716d1e85d071}},
      row{16, {0xecded0b0833276e0, 0x076b6063f0ddaebf}},
      row{17, {0x6baaf523c5489e7c, 0x43b41af47c074b4f}},
      row{128, {0xf9a7cbf561e1f709, 0x5d4c94561b46ec05}},
      row{129, {0x173a2751f8839bc8, 0x4a44db1853aa6a05}},
      row{240, {0x988d723812426448, 0x7623334abfbd58bd}},
      row{241, {0xdf2a67cd10e8551d, 0x3afea27fe756a216}},
      row{1000, {0x1c50c7162c977122, 0x2e3f51f566598066}},
  };
  for (const auto& [length, expected] : rows) {
    std::vector<unsigned char> data;
    for (std::size_t i = 0; i < length; ++i) data.push_back(static_cast<unsigned char>(i % 251));
    EXPECT_EQ(xxh3_hash{}(data), expected) << length;
  }
  EXPECT_EQ(xxh3_hash{0}(""), (digest{0x6001c324468d497f, 0x99aa06d3014798d8}));
  EXPECT_EQ(xxh3_hash{0}("abc"), (digest{0x78af5f94892f3950, 0x06b05ab6733a6185}));
}

// Golden: HighwayHash's published 128-bit vectors, key bytes 0 to 31, data bytes 0 to n-1.
TEST(keyed_hash, gives_the_published_digests) {
  struct row {
    std::size_t length;
    digest expected;
  };
  const std::array rows{
      row{0, {0x0fed268f9d8ffec7, 0x33565e767f093e6f}},
      row{1, {0xd6b0a8893681e7a8, 0xdc291df9eb9cdcb4}},
      row{2, {0x3d15ad265a16da04, 0x78085638dc32e868}},
      row{3, {0x0607621b295f0beb, 0xbfe69a0fd9cedd79}},
      row{4, {0x26399eb46dace49e, 0x2e922ad039319208}},
      row{31, {0x06e7b465e8a57c29, 0x52415e3a07f5d446}},
      row{32, {0x1984df66c1434aaa, 0x16fc1958f9b3e4b9}},
      row{33, {0x111678afe0c6c36c, 0xf958b59de5a2849d}},
      row{63, {0x74bd7018022f3ef0, 0x3aea94a8ad5f4bcb}},
      row{64, {0x98bb1f7198d4c4f2, 0xe0bc0571de918fc8}},
  };
  for (const auto& [length, expected] : rows) {
    std::vector<unsigned char> data;
    for (std::size_t i = 0; i < length; ++i) data.push_back(static_cast<unsigned char>(i));
    EXPECT_EQ(counting_keyed_hash()(data), expected) << length;
  }
}

TEST(keyed_hash, depends_on_every_byte_of_the_secret) {
  std::set<std::uint64_t> halves{counting_keyed_hash()("abc").lo, counting_keyed_hash()("abc").hi};
  std::set<std::uint64_t> fingerprints{counting_keyed_hash().identity().tag};
  for (std::size_t i = 0; i < keyed_hash::secret_bytes; ++i) {
    auto secret = counting_secret();
    secret.at(i) ^= std::byte{0x80};
    halves.insert(keyed_hash(secret)("abc").lo);
    halves.insert(keyed_hash(secret)("abc").hi);
    fingerprints.insert(keyed_hash(secret).identity().tag);
  }
  EXPECT_EQ(halves.size(), 2 * (keyed_hash::secret_bytes + 1));
  EXPECT_EQ(fingerprints.size(), keyed_hash::secret_bytes + 1);
}

TEST(keyed_hash, refuses_secrets_of_another_length) {
  for (const std::size_t length : {0U, 1U, 16U, 31U, 33U, 64U}) {
    const std::vector<std::byte> secret(length, std::byte{7});
    EXPECT_TRUE(throws_error(errc::invalid,
                             "a secret key is 32 bytes, this one has " + std::to_string(length),
                             [&] { (void)keyed_hash(secret); }));
  }
}

TEST(keyed_hash, fingerprint_is_golden_and_shows_nothing_of_the_secret) {
  const hash_identity identity = counting_keyed_hash().identity();
  EXPECT_EQ(identity.id, hash_id::keyed);
  EXPECT_EQ(identity.tag, 0x4f6ff5b9024097cfU);
  for (std::size_t word = 0; word < 4; ++word) {
    EXPECT_NE(identity.tag, core::load_le<std::uint64_t>(counting_secret().data() + 8 * word));
  }
}

TEST(integer_hash, is_golden) {
  const integer_hash hash;
  EXPECT_EQ(hash(0), (digest{0x871a989b8633b91d, 0xda64dc1a0aa62eee}));
  EXPECT_EQ(hash(1), (digest{0xd5c8e13d0b2853ad, 0xd448446b78b13c50}));
  EXPECT_EQ(hash(42), (digest{0x0ceabb80469213cd, 0x1d2cbe351fe5b159}));
  EXPECT_EQ(hash(~std::uint64_t{0}), (digest{0x48b4c1e6ae28e8c1, 0x2dbcee094013534b}));
  EXPECT_EQ(integer_hash{7}(42), (digest{0x2576adf32d435d93, 0x81340439347566e0}));
}

TEST(integer_hash, equal_values_are_one_key_whatever_their_type) {
  const integer_hash hash;
  const digest expected = hash(std::uint64_t{42});
  EXPECT_EQ(hash(42), expected);
  EXPECT_EQ(hash(short{42}), expected);
  EXPECT_EQ(hash(static_cast<unsigned char>(42)), expected);
  EXPECT_EQ(hash(42LL), expected);
  EXPECT_EQ(hash(-1), hash(std::int64_t{-1}));
  EXPECT_EQ(hash(short{-1}), hash(std::int64_t{-1}));
}

TEST(identities, carry_function_and_seed) {
  EXPECT_EQ(xxh3_hash{}.identity(), hash_identity{});
  EXPECT_EQ(xxh3_hash{9}.identity(), (hash_identity{hash_id::xxh3, 9}));
  EXPECT_EQ(integer_hash{}.identity(), (hash_identity{hash_id::integer, default_seed}));
  EXPECT_EQ(integer_hash{9}.identity(), (hash_identity{hash_id::integer, 9}));
}

// Structured integers are what integer keys look like: each half of the digest, in its high and low
// byte, must be uniform, and the halves independent. 2^16 keys per pattern.
struct pattern {
  const char* name;
  std::function<std::uint64_t(std::uint64_t)> key;
};

class integer_patterns : public ::testing::TestWithParam<pattern> {};

TEST_P(integer_patterns, give_uniform_independent_halves) {
  constexpr std::uint64_t keys = 1 << 16;
  for (const std::uint64_t seed : {default_seed, std::uint64_t{0}}) {
    const integer_hash hash(seed);
    std::array<std::array<std::uint64_t, 256>, 4> bytes{};
    std::array<std::array<std::uint64_t, 256>, 4> joint{};
    for (std::uint64_t i = 0; i < keys; ++i) {
      const digest d = hash(GetParam().key(i));
      ++bytes[0].at(d.lo >> 56);
      ++bytes[1].at(d.lo & 255);
      ++bytes[2].at(d.hi >> 56);
      ++bytes[3].at(d.hi & 255);
      ++joint[0].at((d.lo >> 60) << 4 | d.hi >> 60);
      ++joint[1].at((d.lo & 15) << 4 | (d.hi & 15));
      ++joint[2].at((d.lo >> 60) << 4 | (d.hi & 15));
      ++joint[3].at((d.lo & 15) << 4 | d.hi >> 60);
    }
    for (const auto& counts : bytes) EXPECT_TRUE(plausibly_uniform(counts)) << "seed " << seed;
    for (const auto& counts : joint) EXPECT_TRUE(plausibly_uniform(counts)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    integer_hash, integer_patterns,
    ::testing::Values(pattern{"sequential", [](std::uint64_t i) { return i; }},
                      pattern{"stride_16", [](std::uint64_t i) { return i << 4; }},
                      pattern{"stride_4096", [](std::uint64_t i) { return i << 12; }},
                      pattern{"stride_2_32", [](std::uint64_t i) { return i << 32; }},
                      pattern{"high_bits", [](std::uint64_t i) { return i << 48; }},
                      pattern{"negative", [](std::uint64_t i) { return ~i; }},
                      pattern{"stride_golden", [](std::uint64_t i) { return i * hash::golden; }},
                      pattern{"two_halves", [](std::uint64_t i) { return i << 32 | i; }}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(integer_hash, halves_never_collide) {
  const integer_hash hash;
  std::vector<std::uint64_t> lows;
  std::vector<std::uint64_t> highs;
  for (std::uint64_t i = 0; i < 1 << 16; ++i) {
    lows.push_back(hash(i << 20).lo);
    highs.push_back(hash(i << 20).hi);
  }
  for (auto* halves : {&lows, &highs}) {
    std::sort(halves->begin(), halves->end());
    EXPECT_EQ(std::adjacent_find(halves->begin(), halves->end()), halves->end());
  }
}

}  // namespace
}  // namespace bloomery
