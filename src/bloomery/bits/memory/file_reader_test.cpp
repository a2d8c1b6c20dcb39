#include "bloomery/bits/memory/file_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bloomery/hash/key.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

constexpr std::uint64_t plenty = 1 << 30;

class file_reader : public ::testing::Test {
 protected:
  file_reader() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~file_reader() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

std::string sample(std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>(i * 31 % 256);
  return text;
}

// The first byte says how many thousands are meant to come.
std::uint64_t claim(byte_view start) {
  return start.empty() ? 0 : 1000 * std::to_integer<std::uint64_t>(start[0]);
}

std::string claiming(unsigned char thousands, std::size_t length) {
  std::string text = sample(length);
  text[0] = static_cast<char>(thousands);
  return text;
}

TEST_F(file_reader, keeps_what_it_has_read) {
  for (const std::size_t length : {0U, 1U, 4096U, 65'536U, 300'001U}) {
    const std::string text = sample(length);
    const std::string name = write("file", text);
    const file_contents read = read_file(name, plenty);
    std::filesystem::resize_file(name, 0);
    EXPECT_EQ(text_of(read.bytes()), text);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.bytes().data()) % 64, 0U);
  }
}

TEST_F(file_reader, reads_no_more_than_a_byte_beyond_the_claim) {
  EXPECT_EQ(read_file(write("right", claiming(100, 100'000)), plenty, claim).size, 100'000U);
  EXPECT_EQ(read_file(write("longer", claiming(100, 300'000)), plenty, claim).size, 100'001U);
  EXPECT_EQ(read_file(write("shorter", claiming(100, 5000)), plenty, claim).size, 5000U);
  EXPECT_EQ(read_file(write("none", claiming(0, 300'000)), plenty, claim).size, 4096U);
  EXPECT_EQ(read_file(write("over", claiming(200, 200'000)), 199'999, claim).size, 4096U);
}

TEST_F(file_reader, takes_no_more_memory_than_a_stream_has_brought) {
  const std::string name = path("pipe");
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  for (const std::size_t length : {10U, 70'000U, 255'000U}) {
    std::thread writer([&] { std::ofstream(name, std::ios::binary) << claiming(255, length); });
    const file_contents read = read_file(name, plenty, claim);
    writer.join();
    EXPECT_EQ(read.size, length);
    EXPECT_LE(read.memory.size(), std::max<std::size_t>(1 << 16, 2 * read.size));
  }
}

TEST_F(file_reader, keeps_to_the_limit) {
  const std::string name = write("file", sample(1000));
  EXPECT_EQ(read_file(name, 1000).size, 1000U);
  EXPECT_TRUE(throws_error(errc::limit, "is more than 999 B", [&] { (void)read_file(name, 999); }));
}

TEST_F(file_reader, says_why_a_file_cannot_be_read) {
  EXPECT_TRUE(throws_error(errc::io, path("missing") + ": " + std::strerror(ENOENT),
                           [&] { (void)read_file(path("missing"), plenty); }));
  EXPECT_TRUE(
      throws_error(errc::io, std::strerror(EISDIR), [&] { (void)read_file(path(""), plenty); }));
}

TEST(machine_memory, is_more_than_this_test_takes) {
  EXPECT_GT(machine_memory(), std::uint64_t{1} << 28);
}

}  // namespace
}  // namespace bloomery::bits
