#include "bloomery/bits/memory/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::bits {
namespace {

[[noreturn]] void fail_io(const std::string& path) {
  fail(errc::io, path + ": " + std::strerror(errno));
}

struct file_closer {
  int file;
  ~file_closer() { ::close(file); }
};

// Standard input as it is: opening it by name fails for a socket.
int open_to_read(const std::string& path) {
  if (path == "/dev/stdin") return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

void grow(std::vector<std::byte>& buffer) {
  try {
    buffer.resize(2 * buffer.size());
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory,
         "the machine refused " + format_size(2 * buffer.size()) + " of memory");
  }
}

mapped_file read_to_end(int file, const std::string& path, std::uint64_t most,
                        std::uint64_t (*stated_bytes)(byte_view start)) {
  constexpr std::size_t first_size = 1 << 16;
  constexpr std::size_t least_start = 1 << 12;  // enough for any header to be judged
  std::vector<std::byte> buffer(first_size);
  std::size_t used = 0;
  for (;;) {
    if (used == buffer.size()) grow(buffer);
    const ssize_t got = ::read(file, buffer.data() + used, buffer.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > most) fail(errc::limit, path + ": more than " + format_size(most));
    if (stated_bytes != nullptr && used >= least_start &&
        used > stated_bytes(byte_view(buffer).first(used))) {
      break;  // more than it should be, and the reader will say so
    }
  }
  // Through storage, for its alignment.
  auto memory = std::make_shared<storage>(storage::allocate(used));
  if (used != 0) std::memcpy(memory->bytes_for_writing().data(), buffer.data(), used);
  return {memory->bytes().first(used), memory};
}

}  // namespace

mapped_file map_file(const std::string& path, std::uint64_t most,
                     std::uint64_t (*stated_bytes)(byte_view start)) {
  const int file = open_to_read(path);
  if (file < 0) fail_io(path);
  const file_closer closer{file};
  struct stat status {};
  if (::fstat(file, &status) != 0) fail_io(path);
  if (!S_ISREG(status.st_mode)) return read_to_end(file, path, most, stated_bytes);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > most) {
    fail(errc::limit, path + ": " + format_size(size) + " is more than " + format_size(most));
  }
  if (size == 0) return {};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail_io(path);
  const std::shared_ptr<const void> owner(memory, [size](void* p) { ::munmap(p, size); });
  return {{static_cast<const std::byte*>(memory), size}, owner};
}

}  // namespace bloomery::bits
