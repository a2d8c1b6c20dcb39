#include "bloomery/bits/memory/mapped_file.hpp"

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

constexpr std::uint64_t ample = 1 << 30;

class mapped_file_test : public ::testing::Test {
 protected:
  mapped_file_test() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~mapped_file_test() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] std::string pipe(const std::string& name) const {
    EXPECT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(mapped_file_test, shows_the_bytes_of_a_file) {
  std::string text(100'001, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 % 256);
  const mapped_file mapped = map_file(write("file", text), ample);
  EXPECT_EQ(text_of(mapped.bytes), text);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.bytes.data()) % 64, 0U);
}

TEST_F(mapped_file_test, keeps_the_bytes_of_a_replaced_file) {
  const std::string name = write("file", "before");
  const mapped_file mapped = map_file(name, ample);
  std::filesystem::rename(write("other", "after"), name);
  EXPECT_EQ(text_of(mapped.bytes), "before");
  EXPECT_EQ(text_of(map_file(name, ample).bytes), "after");
}

TEST_F(mapped_file_test, an_empty_file_has_no_bytes) {
  EXPECT_TRUE(map_file(write("empty", ""), ample).bytes.empty());
}

TEST_F(mapped_file_test, says_why_a_file_cannot_be_read) {
  EXPECT_TRUE(throws_error(errc::io, path("missing") + ": " + std::strerror(ENOENT),
                           [&] { (void)map_file(path("missing"), ample); }));
  EXPECT_TRUE(
      throws_error(errc::io, std::strerror(EISDIR), [&] { (void)map_file(path(""), ample); }));
  EXPECT_TRUE(throws_error(errc::io, std::strerror(ENOTDIR),
                           [&] { (void)map_file(write("file", "x") + "/below", ample); }));
}

TEST_F(mapped_file_test, keeps_to_the_limit) {
  const std::string name = write("file", std::string(1000, 'x'));
  EXPECT_EQ(map_file(name, 1000).bytes.size(), 1000U);
  EXPECT_TRUE(throws_error(errc::limit, "is more than 999 B", [&] { (void)map_file(name, 999); }));
}

// Pipes longer than their kernel buffer and than the first read buffer, and an empty one.
TEST_F(mapped_file_test, reads_a_pipe_to_its_end) {
  for (const std::size_t length : {0U, 1U, 1000U, 65'536U, 300'000U}) {
    const std::string name = pipe("pipe" + std::to_string(length));
    std::string text(length, '\0');
    for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>(i * 31 % 256);
    std::thread writer([&] { std::ofstream(name, std::ios::binary) << text; });
    const mapped_file mapped = map_file(name, ample);
    writer.join();
    EXPECT_EQ(text_of(mapped.bytes), text);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.bytes.data()) % 64, 0U);
  }
}

TEST_F(mapped_file_test, a_pipe_keeps_to_the_limit_too) {
  const std::string name = pipe("pipe");
  const auto write_from_aside = [&] {
    return std::thread([&] { std::ofstream(name, std::ios::binary) << std::string(1000, 'x'); });
  };
  std::thread writer = write_from_aside();
  EXPECT_EQ(map_file(name, 1000).bytes.size(), 1000U);
  writer.join();
  writer = write_from_aside();
  EXPECT_TRUE(throws_error(errc::limit, "more than 999 B", [&] { (void)map_file(name, 999); }));
  writer.join();
}

}  // namespace
}  // namespace bloomery::bits
