#include "bloomery/bits/memory/file_writer.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "bloomery/hash/key.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

namespace fs = std::filesystem;
using testing::throws_error;

void write_text(const fs::path& path, std::string_view text) {
  // In two parts: where they join must not show.
  const byte_view bytes = bytes_of(text);
  const std::array parts{bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)};
  write_file(path.string(), parts);
}

std::string text_in(const fs::path& path) {
  const std::vector<std::byte> bytes = testing::read_bytes(path);
  return std::string(text_of(bytes));
}

class file_writer : public ::testing::Test {
 protected:
  file_writer() {
    std::string pattern = ::testing::TempDir() + "bloomery_writer_XXXXXX";
    directory = ::mkdtemp(pattern.data());
  }
  ~file_writer() override {
    fs::permissions(directory, fs::perms::owner_all);
    fs::remove_all(directory);
  }
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  // Names in the directory, sorted: a temporary left behind shows.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory)) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    return found;
  }
  using names_list = std::vector<std::string>;

  fs::path directory;
};

TEST_F(file_writer, makes_and_replaces_files_whole) {
  const fs::path path = directory / "out";
  write_text(path, "first");
  EXPECT_EQ(text_in(path), "first");
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  std::ifstream reader(path);  // whoever has it open keeps the old file whole
  write_text(path, "second, longer");
  std::string old;
  std::getline(reader, old);
  EXPECT_EQ(old, "first");
  EXPECT_EQ(text_in(path), "second, longer");
  struct stat after {};
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino) << "written in place";
  EXPECT_EQ(names(), names_list{"out"});
}

TEST_F(file_writer, writes_nothing_as_an_empty_file) {
  write_file((directory / "out").string(), {});
  EXPECT_EQ(fs::file_size(directory / "out"), 0);
}

TEST_F(file_writer, works_in_the_current_directory) {
  const fs::path home = fs::current_path();
  fs::current_path(directory);
  write_text("bare-name", "x");
  fs::current_path(home);
  EXPECT_EQ(names(), names_list{"bare-name"});
}

TEST_F(file_writer, follows_links) {
  fs::create_directory(directory / "sub");
  fs::create_symlink("sub/file", directory / "relative");
  fs::create_symlink(directory / "relative", directory / "chain");
  write_text(directory / "chain", "new through two links");  // the end does not exist yet
  EXPECT_EQ(text_in(directory / "sub" / "file"), "new through two links");
  write_text(directory / "chain", "again");
  EXPECT_EQ(text_in(directory / "sub" / "file"), "again");
  EXPECT_TRUE(fs::is_symlink(directory / "chain"));
  EXPECT_TRUE(fs::is_symlink(directory / "relative"));
  EXPECT_EQ(names(), (names_list{"chain", "relative", "sub"}));
}

TEST_F(file_writer, refuses_links_that_go_round) {
  fs::create_symlink("b", directory / "a");
  fs::create_symlink("a", directory / "b");
  EXPECT_TRUE(throws_error(errc::io, "symbolic links", [&] { write_text(directory / "a", "x"); }));
  EXPECT_TRUE(fs::is_symlink(directory / "a"));
  EXPECT_EQ(names(), (names_list{"a", "b"}));
}

TEST_F(file_writer, keeps_permissions) {
  const fs::path path = directory / "out";
  write_text(path, "x");
  for (const auto mode : {fs::perms{0600}, fs::perms{0640}, fs::perms{0222}, fs::perms{0755}}) {
    fs::permissions(path, mode);
    write_text(path, "y");
    EXPECT_EQ(fs::status(path).permissions(), mode);
  }
}

TEST_F(file_writer, lends_nobody_the_rights_of_the_owner) {
  const fs::path path = directory / "out";
  write_text(path, "x");
  fs::permissions(path, fs::perms{07755});
  write_text(path, "y");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0755});
}

// Root, too, though it could: whoever took the permission away meant it.
TEST_F(file_writer, does_not_replace_what_is_write_protected) {
  const fs::path path = directory / "out";
  require_replaceable(path.string());  // which is not there yet
  write_text(path, "kept");
  require_replaceable(path.string());
  fs::create_symlink("out", directory / "link");
  for (const auto mode : {fs::perms{0444}, fs::perms{0466}}) {
    fs::permissions(path, mode);
    for (const char* name : {"out", "link"}) {
      const std::string there = (directory / name).string();
      EXPECT_TRUE(
          throws_error(errc::io, "is write-protected", [&] { write_text(there, "other"); }));
      EXPECT_TRUE(
          throws_error(errc::io, "is write-protected", [&] { require_replaceable(there); }));
    }
  }
  EXPECT_EQ(text_in(path), "kept");
  EXPECT_EQ(names(), (names_list{"link", "out"}));
  require_replaceable("/dev/null");
}

// Only root has files of others to try this with.
TEST_F(file_writer, keeps_owner_and_group_where_it_may) {
  if (::geteuid() != 0) return;
  constexpr uid_t nobody = 65534;
  constexpr gid_t strange_group = 12345;
  const fs::path path = directory / "out";
  const auto look = [&] {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0);
    return found;
  };
  write_text(path, "x");
  fs::permissions(path, fs::perms{0664});
  ASSERT_EQ(::chown(path.c_str(), nobody, strange_group), 0);
  write_text(path, "by root");
  EXPECT_EQ(look().st_uid, nobody);
  EXPECT_EQ(look().st_gid, strange_group);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0664});

  ASSERT_EQ(::chown(directory.c_str(), nobody, nobody), 0);
  const auto write_as_nobody = [&](std::string_view text) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(2);
    write_text(path, text);
    ::_exit(0);
  };
  EXPECT_EXIT(write_as_nobody("in a group of others"), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(look().st_gid, nobody);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0644}) << "another group may write";

  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  const auto refused = [&] {
    if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(2);
    const bool denied = static_cast<bool>(
        throws_error(errc::io, "out: writing: Permission denied", [&] { write_text(path, "x"); }));
    ::_exit(denied ? 0 : 1);
  };
  EXPECT_EXIT(refused(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(text_in(path), "in a group of others");
}

TEST_F(file_writer, writes_no_secret_for_the_owner_of_what_was_there) {
  if (::geteuid() != 0) return;
  constexpr uid_t nobody = 65534;
  const fs::path path = directory / "secret";
  write_text(path, "x");
  ASSERT_EQ(::chown(path.c_str(), nobody, nobody), 0);
  write_file(path.string(), std::array{bytes_of("y")}, readers::owner);
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 0U);
}

TEST_F(file_writer, keeps_secrets_to_the_owner) {
  const fs::path path = directory / "secret";
  for (const char* text : {"new", "replaced"}) {
    write_file(path.string(), std::array{bytes_of(text)}, readers::owner);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms{0600});
    EXPECT_EQ(text_in(path), text);
    fs::permissions(path, fs::perms{0644});
  }
}

TEST_F(file_writer, keeps_what_is_there_if_told_so) {
  const fs::path path = directory / "secret";
  fs::create_symlink("secret", directory / "link");
  const auto write_new = [](const fs::path& to, std::string_view text) {
    write_file(to.string(), std::array{bytes_of(text)}, readers::owner, existing::kept);
  };
  write_new(directory / "link", "first");  // whose end does not exist yet
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0600});
  for (const char* name : {"secret", "link"}) {
    EXPECT_TRUE(throws_error(errc::io, "exists, and is not replaced",
                             [&] { write_new(directory / name, "second"); }));
  }
  EXPECT_EQ(text_in(path), "first");
  EXPECT_EQ(names(), (names_list{"link", "secret"}));
  write_new("/dev/null", "lost");
}

TEST_F(file_writer, gives_new_files_the_masks_permissions) {
  const mode_t before = ::umask(0027);
  write_text(directory / "out", "x");
  const mode_t during = ::umask(before);
  EXPECT_EQ(during, 0027U) << "the mask was not put back";
  EXPECT_EQ(fs::status(directory / "out").permissions(), fs::perms{0640});
}

TEST_F(file_writer, leaves_nothing_when_it_fails) {
  fs::create_directory(directory / "taken");
  EXPECT_TRUE(throws_error(errc::io, "taken: writing: Is a directory",
                           [&] { write_text(directory / "taken", "x"); }));
  EXPECT_TRUE(throws_error(errc::io, "No such file or directory",
                           [&] { write_text(directory / "missing" / "out", "x"); }));
  write_text(directory / "file", "kept");
  EXPECT_TRUE(throws_error(errc::io, "Not a directory",
                           [&] { write_text(directory / "file" / "out", "x"); }));
  EXPECT_TRUE(throws_error(errc::io, "name too long",
                           [&] { write_text(directory / std::string(300, 'x'), "x"); }));
  EXPECT_TRUE(
      throws_error(errc::io, "name too long", [&] { write_text(std::string(5000, 'x'), "x"); }));
  EXPECT_EQ(text_in(directory / "file"), "kept");
  EXPECT_EQ(names(), (names_list{"file", "taken"}));
}

// In a child, which stops being root if it is: root may write anywhere.
TEST_F(file_writer, leaves_an_unwritable_directory_alone) {
  write_text(directory / "out", "kept");
  fs::permissions(directory, fs::perms{0555});
  const auto write_as_nobody = [&] {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) ::_exit(2);
    const bool refused = static_cast<bool>(
        throws_error(errc::io, "Permission denied", [&] { write_text(directory / "out", "x"); }));
    ::_exit(refused ? 0 : 1);
  };
  EXPECT_EXIT(write_as_nobody(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(text_in(directory / "out"), "kept");
  EXPECT_EQ(names(), names_list{"out"});
}

// A failure after the temporary exists: no file may grow beyond a limit set for the process.
TEST_F(file_writer, removes_the_temporary_when_writing_fails) {
  write_text(directory / "out", "kept");
  const auto fill_a_small_disk = [&] {
    const rlimit small{1000, 1000};
    std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) ::_exit(2);
    const bool refused = static_cast<bool>(throws_error(errc::io, "writing: File too large", [&] {
      write_text(directory / "out", std::string(5000, 'x'));
    }));
    ::_exit(refused ? 0 : 1);
  };
  EXPECT_EXIT(fill_a_small_disk(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(text_in(directory / "out"), "kept");
  EXPECT_EQ(names(), names_list{"out"});
}

// A terminal of our own: a failing test must not cost the machine its /dev/null.
TEST_F(file_writer, writes_straight_to_devices) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0);
  const fs::path device = ::ptsname(master);
  const int kept_open = ::open(device.c_str(), O_RDWR | O_NOCTTY);  // or its bytes go with a writer
  fs::create_symlink(device, directory / "link");
  const names_list before = names();
  write_text(device, "gone");
  write_text(directory / "link", " away");
  std::string received(9, '\0');
  for (std::size_t at = 0; at < received.size();) {
    const auto got = ::read(master, received.data() + at, received.size() - at);
    ASSERT_GT(got, 0);
    at += static_cast<std::size_t>(got);
  }
  EXPECT_EQ(received, "gone away");
  EXPECT_TRUE(fs::is_character_file(device));
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_EQ(names(), before);
  ::close(kept_open);
  ::close(master);
}

TEST_F(file_writer, writes_straight_to_pipes) {
  const fs::path pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string sent(200'000, 'x');  // more than a pipe holds at once
  auto received = std::async(std::launch::async, [&] { return text_in(pipe); });
  write_text(pipe, sent);
  EXPECT_EQ(received.get(), sent);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(names(), names_list{"pipe"});
}

// As /dev/stdout does in a pipeline: the link's text names no file, yet opening it works.
TEST_F(file_writer, writes_to_open_descriptors) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  write_text("/proc/self/fd/" + std::to_string(ends[1]), "through a descriptor");
  std::array<char, 64> buffer{};
  const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
  EXPECT_EQ(std::string_view(buffer.data(), static_cast<std::size_t>(got)), "through a descriptor");
  ::close(ends[0]);
  ::close(ends[1]);
}

// As a signal handler would, in the middle of a write large enough to be caught in the act.
TEST_F(file_writer, abandoning_removes_the_temporary) {
  const fs::path path = directory / "out";
  write_text(path, "kept");
  abandon_write();  // nothing in progress: nothing happens
  EXPECT_EQ(names(), names_list{"out"});

  const std::vector<std::byte> large(8 << 20);
  std::atomic<bool> caught = false;
  std::thread interrupter([&] {
    while (!caught) {
      if (names().size() > 1) abandon_write();
    }
  });
  EXPECT_TRUE(throws_error(errc::io, "renaming: No such file", [&] {
    constexpr int chances = 1000;
    for (int i = 0; i < chances; ++i) write_file(path.string(), std::array{byte_view(large)});
  }));
  caught = true;
  interrupter.join();
  EXPECT_EQ(names(), names_list{"out"});
}

TEST_F(file_writer, takes_turns_between_threads) {
  constexpr int writers = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < writers; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        write_text(directory / "shared", std::string(10'000, static_cast<char>('a' + t)));
        write_text(directory / std::to_string(t), "own");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = text_in(directory / "shared");
  EXPECT_EQ(text, std::string(10'000, text.at(0))) << "two writes in one file";
  EXPECT_EQ(names(), (names_list{"0", "1", "2", "3", "shared"}));
}

}  // namespace
}  // namespace bloomery::bits
