#include "bloomery/hash/sealed_text.hpp"

#include <array>
#include <set>

#include "testing.hpp"

namespace bloomery::hash {
namespace {

hasher keyed(unsigned char first) {
  const std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{first}};
  return hasher(keyed_hash(secret));
}

TEST(sealed_text, is_read_under_its_key_and_digest_alone) {
  const hasher hash = keyed(1);
  for (const std::string text :
       {"", "a", "zebra", "sixteen bytes or", "a text that fills it up…"}) {
    const std::string sealed = sealed_text(hash, {1, 2}, text, 27);
    EXPECT_EQ(sealed.size(), 27U);
    EXPECT_EQ(unsealed_text(hash, {1, 2}, sealed), text);
    EXPECT_EQ(sealed_text(hash, {1, 2}, text, 27), sealed);
    EXPECT_EQ(unsealed_text(hash, {1, 3}, sealed), "");
    EXPECT_EQ(unsealed_text(keyed(2), {1, 2}, sealed), "");
  }
  EXPECT_EQ(unsealed_text(hash, {1, 2}, ""), "");
  EXPECT_EQ(unsealed_text(hash, {1, 2}, "plain"), "");
}

TEST(sealed_text, is_cut_at_a_character) {
  const hasher hash = keyed(1);
  const auto again = [&](const std::string& text) {
    return unsealed_text(hash, {1, 2}, sealed_text(hash, {1, 2}, text, 8));
  };
  EXPECT_EQ(again("seventy"), "seventy");
  EXPECT_EQ(again("eighteen"), "eightee…");
  EXPECT_EQ(again("sixsixé"), "sixsix…");
  EXPECT_EQ(again("five €"), "five …");
}

// Texts of one length under 2^14 digests: every byte of the sealed form takes every value, equally often.
TEST(sealed_text, looks_random) {
  const hasher hash = keyed(3);
  for (const std::string text : {"", "the same"}) {
    std::array<std::uint64_t, 256> counts{};
    for (std::uint64_t i = 0; i < 1 << 14; ++i) {
      for (const char c : sealed_text(hash, {i, 5}, text, 40))
        ++counts[static_cast<unsigned char>(c)];
    }
    EXPECT_TRUE(testing::plausibly_uniform(counts));
  }
}

}  // namespace
}  // namespace bloomery::hash
