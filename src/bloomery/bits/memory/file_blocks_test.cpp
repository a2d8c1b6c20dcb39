#include "bloomery/bits/memory/file_blocks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bytes = std::vector<std::byte>;

class file_blocks : public ::testing::Test {
 protected:
  file_blocks() { ::unlink(name_.c_str()); }
  ~file_blocks() override { ::close(number_); }

  std::string name_ = ::testing::TempDir() + "bloomery-blocks-XXXXXX";
  int number_ = ::mkstemp(name_.data());
  const block_file file{number_, name_};
};

bytes numbered(std::size_t length) {
  bytes made(length);
  for (std::size_t i = 0; i < length; ++i) made[i] = static_cast<std::byte>(i * 31 + i / 4096);
  return made;
}

TEST_F(file_blocks, finds_the_blocks_that_differ_wherever_parts_meet) {
  // Beyond one piece of a megabyte, and with a last block that is not whole.
  const std::size_t length = (1U << 20) + 3 * file_block_bytes + 192;
  const bytes old = numbered(length);
  file.write(0, old);
  const std::vector<std::uint64_t> changed{0, 1, 7, 255, 256, 258, 259};
  bytes wanted = old;
  for (const std::uint64_t number : changed) {
    wanted[std::min(number * file_block_bytes + number % 4096, length - 1)] ^= std::byte{1};
  }
  const byte_view all(wanted);
  for (const std::size_t at : {0U, 1U, 64U, 4096U, 5000U, 1U << 20, (1U << 20) + 1}) {
    SCOPED_TRACE(at);
    const std::vector<byte_view> parts{
        all.first(at), {}, all.subspan(at, 100), all.subspan(at + 100)};
    const auto found = differing_blocks(file, parts, changed.size());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->numbers, changed);
    bytes padded = wanted;
    padded.resize(core::round_up(length, file_block_bytes));
    bytes expected;
    for (const std::uint64_t number : changed) {
      const auto block = byte_view(padded).subspan(number * file_block_bytes, file_block_bytes);
      expected.insert(expected.end(), block.begin(), block.end());
    }
    EXPECT_EQ(found->contents, expected);
    EXPECT_FALSE(differing_blocks(file, parts, changed.size() - 1));
  }
  EXPECT_EQ(file.read(0, length + 1), old) << "nothing was written";
  EXPECT_TRUE(differing_blocks(file, std::vector<byte_view>{old}, 0)->numbers.empty());
}

TEST_F(file_blocks, reads_writes_and_cuts) {
  file.write(0, numbered(100));
  file.write(50, numbered(10));
  EXPECT_EQ(file.read(50, 10), numbered(10));
  EXPECT_EQ(file.read(95, 10).size(), 5U);
  file.sync();
  file.cut(60);
  EXPECT_EQ(file.size(), 60U);
  EXPECT_EQ(file.read(60, 1).size(), 0U);
  const bytes longer = numbered(61);
  EXPECT_FALSE(differing_blocks(file, std::vector<byte_view>{longer}, 10)) << "the file is shorter";
  const block_file closed(-1, name_);
  EXPECT_TRUE(testing::throws_error(errc::io, name_, [&] { closed.write(0, numbered(1)); }));
  EXPECT_TRUE(testing::throws_error(errc::io, name_, [&] { (void)closed.read(0, 1); }));
  EXPECT_TRUE(testing::throws_error(errc::io, name_, [&] { closed.sync(); }));
  EXPECT_TRUE(testing::throws_error(errc::io, name_, [&] { closed.cut(0); }));
}

}  // namespace
}  // namespace bloomery::bits
