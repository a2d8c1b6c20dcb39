#include "bloomery/wire/checksum.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bloomery/hash/key.hpp"

namespace bloomery::wire {
namespace {

// The first value is XXH3's published one for no input; the second is Debian's `xxhsum -H3` of it.
TEST(checksum, is_xxh3_of_64_bits_with_seed_0) {
  EXPECT_EQ(checksum(byte_view{}), 0x2d06800538d394c2);
  EXPECT_EQ(checksum(bytes_of("abc")), 0x78af5f94892f3950);
}

TEST(checksum, of_parts_is_that_of_the_whole) {
  std::vector<std::byte> whole(5000);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::byte>(i * 7);
  const byte_view all(whole);
  for (const std::size_t cut : {0U, 1U, 16U, 240U, 241U, 1024U, 4999U, 5000U}) {
    const std::array parts{all.first(cut), byte_view{}, all.subspan(cut)};
    EXPECT_EQ(checksum(parts), checksum(all)) << cut;
  }
}

}  // namespace
}  // namespace bloomery::wire
