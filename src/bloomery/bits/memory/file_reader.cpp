#include "bloomery/bits/memory/file_reader.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::bits {
namespace {

constexpr std::string_view standard_input = "/dev/stdin";

// Standard input as it is: opening it by name fails for a socket.
int open_to_read(const std::string& path) {
  if (path == standard_input) return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

readable_file::readable_file(const std::string& path) : path_(path), file_(open_to_read(path)) {
  if (file_ < 0) fail();
  struct stat status {};
  if (::fstat(file_, &status) != 0) {
    const int reason = errno;
    ::close(file_);
    errno = reason;
    fail();
  }
  regular_ = S_ISREG(status.st_mode);
  if (!regular_) return;
  size_ = static_cast<std::uint64_t>(status.st_size);
  start_ = static_cast<std::uint64_t>(std::max(::lseek(file_, 0, SEEK_CUR), off_t{0}));
}

readable_file::~readable_file() {
  ::close(file_);
}

void readable_file::fail() const {
  bloomery::fail(errc::io, path_ + ": " + std::strerror(errno));
}

void readable_file::require_at_most(std::uint64_t bytes, std::uint64_t most) const {
  if (bytes > most) {
    bloomery::fail(errc::limit,
                   path_ + ": " + format_size(bytes) + " is more than " + format_size(most));
  }
}

void readable_file::go_to(std::uint64_t offset) const {
  if (::lseek(file_, static_cast<off_t>(start_ + offset), SEEK_SET) < 0) fail();
}

std::array<std::int64_t, 3> readable_file::state() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail();
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

bool readable_file::keep_writers_out() const {
  return path_ != standard_input && ::flock(file_, LOCK_SH | LOCK_NB) == 0;
}

namespace {

// Reads up to `bytes`, fewer only at the end of the file.
std::uint64_t read_into(const readable_file& file, std::byte* to, std::uint64_t bytes) {
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(file.number(), to + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) file.fail();
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return done;
}

// Reads on until there are `wanted` bytes, for which there is room; false if the file ends before.
bool read_up_to(const readable_file& file, std::uint64_t wanted, file_contents& read) {
  std::byte* const to = read.memory.bytes_for_writing().data() + read.size;
  read.size += read_into(file, to, wanted - read.size);
  return read.size == wanted;
}

void make_room(std::uint64_t bytes, file_contents& read) {
  if (bytes <= read.memory.size()) return;
  storage larger = storage::allocate(bytes);
  std::ranges::copy(read.bytes(), larger.bytes_for_writing().begin());
  read.memory = std::move(larger);
}

}  // namespace

file_contents read_all(const readable_file& file, std::uint64_t most, length_claim stated_bytes) {
  constexpr std::uint64_t start_bytes = 1 << 12;  // enough for any header to be judged
  constexpr std::uint64_t first_step = 1 << 16;
  file_contents read;
  // One more than there may be, to see that there is more.
  std::uint64_t wanted = std::min(most, std::numeric_limits<std::uint64_t>::max() - 1) + 1;
  // It may have grown since it was opened, by what is not to be missed behind the length claimed.
  if (file.regular()) wanted = std::min(wanted, file.size() + (stated_bytes != nullptr ? 1 : 0));
  if (stated_bytes != nullptr) {
    const std::uint64_t start = std::min(wanted, start_bytes);
    make_room(start, read);
    if (!read_up_to(file, start, read)) return read;
    const std::uint64_t stated = stated_bytes(read.bytes());
    if (stated > most) return read;
    wanted = std::min(wanted, stated + 1);
  }
  while (read.size < wanted) {
    const std::uint64_t step =
        file.regular() ? wanted : std::min(wanted, std::max(first_step, 2 * read.size));
    make_room(step, read);
    if (!read_up_to(file, step, read)) break;
  }
  if (stated_bytes == nullptr) file.require_at_most(read.size, most);
  return read;
}

std::vector<std::byte> read_on(const readable_file& file, std::uint64_t most) {
  std::vector<std::byte> read(most);
  read.resize(read_into(file, read.data(), most));
  return read;
}

file_contents read_file(const std::string& path, std::uint64_t most, length_claim stated_bytes) {
  const readable_file file(path);
  if (stated_bytes == nullptr) file.require_at_most(file.size(), most);
  return read_all(file, most, stated_bytes);
}

std::uint64_t machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

}  // namespace bloomery::bits
