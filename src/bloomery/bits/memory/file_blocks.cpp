#include "bloomery/bits/memory/file_blocks.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t piece_bytes = 256 * file_block_bytes;

// A place in parts that follow each other.
class part_cursor {
 public:
  explicit part_cursor(std::span<const byte_view> parts) : parts_(parts) {}

  // Shows the next `bytes` to `visit`, in as many runs as there are.
  template <class Visit>
  void advance(std::uint64_t bytes, Visit visit) {
    while (bytes != 0) {
      const byte_view rest = parts_.front().subspan(at_);
      const byte_view run = rest.first(std::min<std::uint64_t>(bytes, rest.size()));
      visit(run);
      bytes -= run.size();
      at_ += run.size();
      if (run.size() != rest.size()) continue;
      parts_ = parts_.subspan(1);
      at_ = 0;
    }
  }

 private:
  std::span<const byte_view> parts_;
  std::size_t at_ = 0;
};

// Whether the next bytes of the parts are others than these.
bool next_differ(part_cursor& parts, byte_view old) {
  bool differ = false;
  parts.advance(old.size(), [&](byte_view run) {
    differ = differ || (!run.empty() && std::memcmp(run.data(), old.data(), run.size()) != 0);
    old = old.subspan(run.size());
  });
  return differ;
}

}  // namespace

void block_file::fail(const char* doing) const {
  bloomery::fail(errc::io, path_ + ": " + doing + ": " + std::strerror(errno));
}

std::uint64_t block_file::size() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail("reading");
  return static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t block_file::read(std::uint64_t offset, std::span<std::byte> to) const {
  std::uint64_t done = 0;
  while (done < to.size()) {
    const ssize_t got =
        ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("reading");
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return done;
}

std::vector<std::byte> block_file::read(std::uint64_t offset, std::uint64_t bytes) const {
  std::vector<std::byte> there(bytes);
  there.resize(read(offset, std::span(there)));
  return there;
}

void block_file::write(std::uint64_t offset, byte_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing");
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void block_file::sync() const {
  if (::fsync(file_) != 0) fail("syncing");
}

void block_file::cut(std::uint64_t size) const {
  int result = -1;
  do {
    result = ::ftruncate(file_, static_cast<off_t>(size));
  } while (result != 0 && errno == EINTR);
  if (result != 0) fail("cutting");
}

std::optional<block_changes> differing_blocks(const block_file& file,
                                              std::span<const byte_view> parts,
                                              std::uint64_t most) {
  block_changes found;
  std::uint64_t total = 0;
  for (const byte_view part : parts) total += part.size();
  std::vector<std::byte> piece(std::min(total, piece_bytes));
  part_cursor next(parts);
  for (std::uint64_t at = 0; at < total; at += piece.size()) {
    piece.resize(std::min(total - at, piece_bytes));
    if (file.read(at, std::span(piece)) != piece.size()) return std::nullopt;
    for (std::uint64_t in = 0; in < piece.size(); in += file_block_bytes) {
      const std::uint64_t bytes = std::min(piece.size() - in, file_block_bytes);
      part_cursor again = next;
      if (!next_differ(next, byte_view(piece).subspan(in, bytes))) continue;
      if (found.numbers.size() == most) return std::nullopt;
      found.numbers.push_back((at + in) / file_block_bytes);
      again.advance(bytes, [&](byte_view run) {
        found.contents.insert(found.contents.end(), run.begin(), run.end());
      });
      found.contents.resize(found.numbers.size() * file_block_bytes);
    }
  }
  return found;
}

}  // namespace bloomery::bits
