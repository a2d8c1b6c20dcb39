#include "bloomery/bits/memory/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

[[noreturn]] void fail_io(const std::string& path, const char* doing) {
  fail(errc::io, path + ": " + doing + ": " + std::strerror(errno));
}

bool try_lock(int file, int how) {
  int result = -1;
  do {
    result = ::flock(file, how);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool names_regular_file(const std::string& path, struct stat& found) {
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

}  // namespace

file_lock::file_lock(const std::string& path, const std::function<void()>& on_wait) {
  struct stat named {};
  bool told = false;
  // A path that leads nowhere is for whoever reads or writes it to complain of.
  while (names_regular_file(path, named)) {
    // For writing: network file systems give no exclusive lock otherwise.
    file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (file_ < 0 && errno == ENOENT) continue;
    if (file_ < 0) fail_io(path, "opening");
    try {
      if (!try_lock(file_, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK) fail_io(path, "locking");
        if (on_wait && !std::exchange(told, true)) on_wait();
        if (!try_lock(file_, LOCK_EX)) fail_io(path, "locking");
      }
    } catch (...) {
      release();
      throw;
    }
    struct stat locked {};
    if (::fstat(file_, &locked) == 0 && names_regular_file(path, named) &&
        locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
      return;
    }
    release();
  }
}

file_lock::~file_lock() {
  release();
}

void file_lock::release() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace bloomery::bits
