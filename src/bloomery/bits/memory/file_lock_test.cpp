#include "bloomery/bits/memory/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

namespace fs = std::filesystem;
using testing::throws_error;

class file_locks : public ::testing::Test {
 protected:
  file_locks() {
    std::string pattern = ::testing::TempDir() + "bloomery_lock_XXXXXX";
    directory = ::mkdtemp(pattern.data());
    path = (directory / "file").string();
    write("first");
  }
  ~file_locks() override { fs::remove_all(directory); }
  file_locks(const file_locks&) = delete;
  file_locks& operator=(const file_locks&) = delete;

  void write(std::string_view text) const { write_file(path, std::array{bytes_of(text)}); }
  // Whether somebody has the lock of the file that is at the path now.
  [[nodiscard]] bool taken() const {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    ::close(file);
    return !free;
  }

  fs::path directory;
  std::string path;
};

void refuse_to_wait() {
  fail(errc::io, "somebody has it");
}

TEST_F(file_locks, are_held_by_one_at_a_time) {
  {
    const file_lock first(path);
    EXPECT_TRUE(first.held());
    EXPECT_TRUE(taken());
    EXPECT_TRUE(throws_error(errc::io, "somebody has it",
                             [&] { const file_lock second(path, refuse_to_wait); }));
    EXPECT_TRUE(taken()) << "an attempt took it away";
  }
  EXPECT_FALSE(taken());
  file_lock third(path, refuse_to_wait);
  EXPECT_TRUE(third.held());
  third.release();
  EXPECT_FALSE(third.held());
  EXPECT_FALSE(taken());
}

TEST_F(file_locks, are_of_the_file_at_the_end_of_links) {
  fs::create_symlink("file", directory / "link");
  const file_lock lock((directory / "link").string());
  EXPECT_TRUE(taken());
}

// The holder replaces the file, as whoever changes it does, once the other has begun to wait.
TEST_F(file_locks, follow_the_path_to_a_new_file) {
  std::optional<file_lock> first(path);
  int waits = 0;
  const file_lock second(path, [&] {
    ++waits;
    write("second");
    first.reset();
  });
  EXPECT_EQ(waits, 1);
  EXPECT_TRUE(second.held());
  EXPECT_TRUE(taken()) << "the lock is on a file that is gone";
}

TEST_F(file_locks, are_nothing_once_the_file_is_gone) {
  std::optional<file_lock> first(path);
  const file_lock second(path, [&] {
    fs::remove(path);
    first.reset();
  });
  EXPECT_FALSE(second.held());
}

TEST_F(file_locks, leave_alone_what_is_no_file) {
  const fs::path pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& other : {pipe.string(), directory.string(), std::string("/dev/null"),
                                   (directory / "nothing").string(), path + "/below"}) {
    const file_lock lock(other);  // a pipe would wait for its other end
    EXPECT_FALSE(lock.held()) << other;
  }
  EXPECT_FALSE(fs::exists(directory / "nothing"));
}

}  // namespace
}  // namespace bloomery::bits
