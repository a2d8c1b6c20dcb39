#include "bloomery/bits/memory/file_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <random>
#include <utility>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

// Where a signal handler finds the temporary: fixed memory, published by the flag.
std::array<char, PATH_MAX> temporary_path;
std::atomic<bool> temporary_exists{false};
std::mutex one_write;

[[noreturn]] void fail_io(const std::string& path, const char* doing) {
  fail(errc::io, path + ": " + doing + ": " + std::strerror(errno));
}

[[noreturn]] void fail_kept(const std::string& path) {
  fail(errc::io, path + ": exists, and is not replaced");
}

void write_all(int file, const std::string& path, std::span<const byte_view> parts) {
  for (byte_view rest : parts) {
    while (!rest.empty()) {
      const ssize_t written = ::write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_io(path, "writing");
      rest = rest.subspan(static_cast<std::size_t>(written));
    }
  }
}

class open_file {
 public:
  open_file(int file, std::string path) : file_(file), path_(std::move(path)) {
    if (file_ < 0) fail_io(path_, "opening");
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (file_ >= 0) ::close(file_);
  }
  [[nodiscard]] int number() const { return file_; }
  void close() {
    if (::close(std::exchange(file_, -1)) != 0) fail_io(path_, "closing");
  }

 private:
  int file_;
  std::string path_;
};

// Removes the temporary unless it was renamed away.
struct temporary_guard {
  ~temporary_guard() { abandon_write(); }
};

// The file that `path` means: the end of its chain of links, which may not exist yet.
std::string real_target(const std::string& path) {
  std::filesystem::path target = path;
  std::error_code problem;
  constexpr int most_links = 40;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(target, problem); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, problem);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

// Whoever may write in the directory can replace any file there; one that is write-protected was not meant.
void require_writable(const std::string& path, const struct stat& found) {
  if ((found.st_mode & S_IWUSR) == 0) {
    fail(errc::io, path + ": is write-protected, and is not replaced");
  }
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail_io(path, "writing");
}

// The attributes of the file to be replaced, but for what lends its owner's rights.
void take_after(int file, const std::string& path, const struct stat& old) {
  struct stat made {};
  if (::fstat(file, &made) != 0) fail_io(path, "setting permissions");
  mode_t mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  if (made.st_uid != old.st_uid) {  // only the superuser gives files away
    [[maybe_unused]] const int kept = ::fchown(file, old.st_uid, static_cast<gid_t>(-1));
  }
  if (made.st_gid != old.st_gid && ::fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0) {
    constexpr int group_above_others = 3;
    mode &= ~mode_t{S_IRWXG} | (mode & S_IRWXO) << group_above_others;
  }
  if (::fchmod(file, mode) != 0) fail_io(path, "setting permissions");
}

// Creates a file beside the target, with the permissions a new file gets, or less. Its name is published
// first, so that a signal at any moment finds it; nobody else has a file of such a random name.
int create_temporary(const std::string& target, bool owner_only) {
  std::random_device random;
  std::array<char, 24> suffix{};
  std::snprintf(suffix.data(), suffix.size(), ".%08x%08x", random(), random());
  const std::string name = target + suffix.data();
  if (name.size() >= temporary_path.size()) {
    errno = ENAMETOOLONG;
    return -1;
  }
  temporary_path.fill('\0');
  std::ranges::copy(name, temporary_path.begin());
  temporary_exists = true;
  constexpr mode_t owner = S_IRUSR | S_IWUSR;
  constexpr mode_t everyone = owner | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  const int file =
      ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, owner_only ? owner : everyone);
  if (file < 0) temporary_exists = false;
  return file;
}

void sync_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int directory =
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;  // the rename has happened; only its durability is in question
  ::fsync(directory);
  ::close(directory);
}

}  // namespace

void write_file(const std::string& path, std::span<const byte_view> parts, readers allowed,
                existing file) {
  const std::lock_guard lock(one_write);
  struct stat found {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) fail_io(path, "writing");
  if (exists && S_ISDIR(found.st_mode)) {
    errno = EISDIR;
    fail_io(path, "writing");
  }
  if (exists && !S_ISREG(found.st_mode)) {
    open_file direct(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
    write_all(direct.number(), path, parts);
    direct.close();
    return;
  }
  if (exists && file == existing::kept) fail_kept(path);
  if (exists) require_writable(path, found);
  const std::string target = real_target(path);
  // Until it has the old file's permissions, nobody else opens it.
  open_file temporary(create_temporary(target, exists || allowed == readers::owner), path);
  const temporary_guard guard;
  if (exists && allowed == readers::usual) take_after(temporary.number(), path, found);
  write_all(temporary.number(), path, parts);
  if (::fsync(temporary.number()) != 0) fail_io(path, "syncing");
  temporary.close();
  if (file == existing::kept) {
    if (::link(temporary_path.data(), target.c_str()) != 0) {
      if (errno == EEXIST) fail_kept(path);
      fail_io(path, "linking");
    }
  } else {
    if (::rename(temporary_path.data(), target.c_str()) != 0) fail_io(path, "renaming");
    temporary_exists = false;
  }
  sync_directory_of(target);
}

void require_replaceable(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode)) require_writable(path, found);
}

void abandon_write() noexcept {
  if (temporary_exists.exchange(false)) ::unlink(temporary_path.data());
}

}  // namespace bloomery::bits
