#include "bloomery/bits/code/inflate.hpp"

#include <zlib.h>

#include <optional>
#include <span>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bytes = std::vector<std::byte>;

bytes compressed(const bytes& text, int level, int strategy) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy), Z_OK);
  bytes made(deflateBound(&stream, text.size()));
  bytes copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(made.data());
  stream.avail_out = static_cast<uInt>(made.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  made.resize(stream.total_out);
  deflateEnd(&stream);
  return made;
}

// Of few values or many, so that codes are short and long, with repeats near and far.
bytes some_text(std::uint64_t seed) {
  auto draw = [seed, at = std::uint64_t{0}]() mutable {
    return testing::numbered_digest(seed, at++).lo;
  };
  bytes text;
  const std::uint64_t values = 1 + draw() % 256;
  const std::uint64_t size = draw() % 70'000;
  while (text.size() < size) {
    if (draw() % 8 == 0 && !text.empty()) {
      const std::size_t from = draw() % text.size();
      for (std::uint64_t i = draw() % 300; i > 0; --i)
        text.push_back(text[from + i % (text.size() - from)]);
    } else {
      text.push_back(static_cast<std::byte>(draw() % values));
    }
  }
  return text;
}

TEST(inflate, gives_back_whatever_zlib_compressed) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const bytes text = some_text(seed);
    for (const int level : {0, 1, 6, 9}) {
      for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE}) {
        ASSERT_EQ(inflate(compressed(text, level, strategy), text.size()), text)
            << seed << " " << level << " " << strategy;
      }
    }
  }
}

TEST(inflate, makes_no_byte_more_than_is_allowed) {
  const bytes zeros(1'000'000);
  const bytes bomb = compressed(zeros, 9, Z_DEFAULT_STRATEGY);
  EXPECT_LT(bomb.size(), 2000);
  EXPECT_TRUE(testing::throws_error(errc::limit, "999999", [&] { (void)inflate(bomb, 999'999); }));
  EXPECT_EQ(inflate(bomb, 1'000'000), zeros);
  EXPECT_TRUE(testing::throws_error(errc::limit, "0 bytes", [&] { (void)inflate(bomb, 0); }));
}

// What zlib itself takes, and what it makes of it.
std::optional<bytes> by_zlib(const bytes& stream, std::size_t most) {
  bytes made(most + 1);
  auto size = static_cast<uLongf>(made.size());
  auto read = static_cast<uLong>(stream.size());
  const int status = uncompress2(reinterpret_cast<Bytef*>(made.data()), &size,
                                 reinterpret_cast<const Bytef*>(stream.data()), &read);
  if (status != Z_OK || read != stream.size() || size > most) return {};
  made.resize(size);
  return made;
}

std::optional<bytes> by_ours(const bytes& stream, std::size_t most) {
  try {
    return inflate(stream, most);
  } catch (const error&) {
    return {};
  }
}

TEST(inflate, takes_of_damaged_streams_what_zlib_takes) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    bytes text = some_text(seed + 100);
    text.resize(std::min<std::size_t>(text.size(), 400));
    const bytes sound =
        compressed(text, seed % 2 == 0 ? 9 : 1, seed % 3 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY);
    for (std::size_t at = 0; at < sound.size(); ++at) {
      bytes damaged = sound;
      damaged[at] ^= std::byte{1} << seed % 8;
      ASSERT_EQ(by_ours(damaged, 1000), by_zlib(damaged, 1000)) << seed << " " << at;
      refused += std::uint64_t{!by_ours(damaged, 1000)};
      const bytes cut(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_FALSE(by_ours(cut, 1000));
    }
    bytes longer = sound;
    longer.emplace_back();
    EXPECT_FALSE(by_ours(longer, 1000));
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace bloomery::bits
