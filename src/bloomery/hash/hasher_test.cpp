#include "bloomery/hash/hasher.hpp"

#include <string>
#include <vector>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

const std::string secret_text = "Qz7#vK2!xW9@jR4%pL6^nT8&mB3*gH5+Y";

byte_view secret() {
  return bytes_of(secret_text).first(keyed_hash::secret_bytes);
}
byte_view other_secret() {
  return bytes_of(secret_text).last(keyed_hash::secret_bytes);
}

template <class Policy>
void expect_same_digests(const Policy& policy, const std::vector<std::string_view>& keys,
                         const std::vector<digest>& expected) {
  const hasher chosen{policy};
  EXPECT_EQ(chosen.identity(), policy.identity());
  std::vector<digest> batch(keys.size());
  chosen(keys, batch);
  EXPECT_EQ(batch, expected);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(chosen(keys[i]), expected[i]);
}

TEST(hasher, gives_the_digests_of_the_typed_policies) {
  const std::vector<std::string_view> keys{"", "a", "abc", std::string_view("a\0b", 3), "\xff\xfe"};
  std::vector<digest> plain;
  std::vector<digest> keyed;
  const xxh3_hash xxh3(5);
  const keyed_hash under_secret(secret());
  for (const std::string_view key : keys) {
    plain.push_back(xxh3(key));
    keyed.push_back(under_secret(key));
  }
  expect_same_digests(xxh3, keys, plain);
  expect_same_digests(under_secret, keys, keyed);
  const integer_hash integers(5);
  expect_same_digests(integers, {"0", "42", "18446744073709551615", "007"},
                      {integers(0), integers(42), integers(~std::uint64_t{0}), integers(7)});
}

TEST(hasher, is_the_default_policy_by_default) {
  EXPECT_EQ(hasher{}.identity(), hash_identity{});
  EXPECT_EQ(hasher{}("abc"), xxh3_hash{}("abc"));
}

TEST(hasher, refuses_text_that_is_no_integer_under_the_integer_hash) {
  const hasher integers{integer_hash{}};
  for (const char* key :
       {"", "abc", "-1", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "18446744073709551616"}) {
    EXPECT_TRUE(throws_error(errc::invalid,
                             "key '" + std::string(key) + "' is not a decimal number",
                             [&] { (void)integers(key); }))
        << key;
  }
  const std::string endless(10'000, 'x');
  try {
    (void)integers(endless);
    FAIL() << "nothing was thrown";
  } catch (const error& problem) {
    EXPECT_LT(std::string(problem.what()).size(), 200U) << "a long key is not echoed whole";
  }
}

TEST(hasher, is_rebuilt_from_an_identity) {
  const auto xxh3 = hasher::for_identity({hash_id::xxh3, 77});
  EXPECT_EQ(xxh3("abc"), xxh3_hash{77}("abc"));
  const auto integers = hasher::for_identity({hash_id::integer, 77});
  EXPECT_EQ(integers("12"), integer_hash{77}(12));
  const keyed_hash policy(secret());
  const auto keyed = hasher::for_identity(policy.identity(), secret());
  EXPECT_EQ(keyed("abc"), policy("abc"));
  EXPECT_EQ(keyed.identity(), policy.identity());
}

TEST(hasher, refuses_identities_it_cannot_serve) {
  const hash_identity keyed = keyed_hash(secret()).identity();
  EXPECT_TRUE(throws_error(errc::incompatible, "no secret key was given",
                           [&] { (void)hasher::for_identity(keyed); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "key fingerprint differs",
                           [&] { (void)hasher::for_identity(keyed, other_secret()); }));
  EXPECT_TRUE(throws_error(errc::invalid, "a secret key is 32 bytes",
                           [&] { (void)hasher::for_identity(keyed, secret().first(31)); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "custom 0x80000001", [] {
    (void)hasher::for_identity({hash_id{0x80000001}, 1});
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "unknown", [] {
    (void)hasher::for_identity({hash_id{99}, 1});
  }));
}

TEST(identity, says_which_part_differs) {
  const hash_identity here{hash_id::xxh3, 1};
  EXPECT_NO_THROW(require_same_hash(here, {hash_id::xxh3, 1}));
  EXPECT_TRUE(throws_error(errc::incompatible,
                           "the seed differs: xxh3 seed 0x1 against xxh3 seed 0x2", [&] {
                             require_same_hash(here, {hash_id::xxh3, 2});
                           }));
  EXPECT_TRUE(throws_error(
      errc::incompatible, "the hash function differs: xxh3 seed 0x1 against integer seed 0x1", [&] {
        require_same_hash(here, {hash_id::integer, 1});
      }));
  EXPECT_TRUE(throws_error(
      errc::incompatible,
      "the key fingerprint differs: keyed key fingerprint 0xa against keyed key fingerprint 0xb",
      [] {
        require_same_hash({hash_id::keyed, 10}, {hash_id::keyed, 11});
      }));
  EXPECT_TRUE(throws_error(errc::incompatible, "the hash function differs: custom 0x80000000", [&] {
    require_same_hash({hash_id::custom, 1}, here);
  }));
}

TEST(identity, knows_its_own_functions_and_the_callers) {
  for (const auto& [id, name] : {std::pair{hash_id::xxh3, "xxh3"},
                                 {hash_id::keyed, "keyed"},
                                 {hash_id::integer, "integer"},
                                 {hash_id::custom, "custom"},
                                 {hash_id::guarded, "guarded"},
                                 {hash_id{0xffffffff}, "custom"}}) {
    EXPECT_TRUE(is_known(id));
    EXPECT_EQ(name_of(id), name);
  }
  for (const hash_id id : {hash_id{0}, hash_id{5}, hash_id{0x7fffffff}}) {
    EXPECT_FALSE(is_known(id));
    EXPECT_EQ(name_of(id), "unknown");
  }
}

// Neither raw nor as any of the hexadecimal words that the code handles it in.
TEST(identity, messages_never_show_the_secret) {
  std::vector<std::string> messages{describe(keyed_hash(secret()).identity())};
  const auto collect = [&](auto action) {
    try {
      action();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const error& problem) {
      messages.emplace_back(problem.what());
    }
  };
  const hash_identity keyed = keyed_hash(secret()).identity();
  collect([&] { (void)hasher::for_identity(keyed); });
  collect([&] { (void)hasher::for_identity(keyed, other_secret()); });
  collect([&] { (void)hasher::for_identity(keyed, secret().first(31)); });
  collect([&] { require_same_hash(keyed, keyed_hash(other_secret()).identity()); });
  for (const std::string& message : messages) {
    for (const byte_view hidden : {secret(), other_secret()}) {
      for (std::size_t at = 0; at + 4 <= hidden.size(); ++at) {
        EXPECT_EQ(message.find(text_of(hidden.subspan(at, 4))), std::string::npos) << message;
      }
      for (std::size_t word = 0; word < 4; ++word) {
        const auto value = core::load_le<std::uint64_t>(hidden.data() + 8 * word);
        std::string hex = "0x";
        for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[value >> shift & 15];
        EXPECT_EQ(message.find(hex), std::string::npos) << message;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
