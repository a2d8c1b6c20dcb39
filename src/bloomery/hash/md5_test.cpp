#include "bloomery/hash/md5.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "bloomery/hash/key.hpp"

namespace bloomery::hash {
namespace {

std::string hexadecimal(const std::array<std::byte, 16>& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text.push_back(digits[std::to_integer<std::size_t>(byte) / 16]);
    text.push_back(digits[std::to_integer<std::size_t>(byte) % 16]);
  }
  return text;
}

std::string md5_of(std::string_view text) {
  return hexadecimal(md5().add(bytes_of(text)).end());
}

TEST(md5, has_the_vectors_of_the_rfc) {
  const std::map<std::string, std::string> vectors{
      {"", "d41d8cd98f00b204e9800998ecf8427e"},
      {"a", "0cc175b9c0f1b6a831c399e269772661"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
      {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
       "d174ab98d277d9f5a5611c2c9f419d9f"},
      {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
       "57edf4a22be3c955ac49da2e2107b67a"},
  };
  for (const auto& [text, digest] : vectors) EXPECT_EQ(md5_of(text), digest) << text;
}

TEST(md5, does_not_care_for_the_parts_in_which_a_text_comes) {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'x');
    for (const std::size_t cut : {length / 3, length / 2, length}) {
      const byte_view bytes = bytes_of(text);
      EXPECT_EQ(hexadecimal(md5().add(bytes.first(cut)).add(bytes.subspan(cut)).end()),
                md5_of(text))
          << length << " cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace bloomery::hash
