// A file in memory of one's own.
//
// Purpose:   what has been read stays as it was checked, whatever others do to the file.
// Guarantee: a missing or unreadable file throws errc::io with the system's reason, and one of more than
//            `most` bytes errc::limit. Memory follows what has been read. With a claim, the start of the file
//            must justify the rest: no more than a byte beyond the length claimed is read, and nothing more
//            at all if that is over `most`. So an endless stream, or a large file that is no filter, costs
//            its first bytes, which the caller refuses.
//
//     const auto self = bloomery::bits::read_file("/proc/self/exe", 1 << 30);
//     assert(self.size > 4 && self.bytes()[1] == std::byte{'E'});  // ELF
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

// Tells from the start of a file how long it claims to be; it is shown 4 KiB, or all if that is less.
using length_claim = std::uint64_t (*)(byte_view start);

struct file_contents {
  storage memory;
  std::uint64_t size = 0;

  [[nodiscard]] byte_view bytes() const { return memory.bytes().first(size); }
};

file_contents read_file(const std::string& path, std::uint64_t most,
                        length_claim stated_bytes = nullptr);

std::uint64_t machine_memory();  // in bytes, of all processes together

// A descriptor to read from, closed with it. errc::io unless there is such a file.
class readable_file {
 public:
  explicit readable_file(const std::string& path);
  readable_file(const readable_file&) = delete;
  readable_file& operator=(const readable_file&) = delete;
  ~readable_file();

  [[nodiscard]] int number() const { return file_; }
  [[nodiscard]] bool regular() const { return regular_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }            // 0 unless it is regular
  [[noreturn]] void fail() const;                                       // with the system's reason
  void require_at_most(std::uint64_t bytes, std::uint64_t most) const;  // or errc::limit

  // Of a regular file: to so many bytes after where reading began.
  void go_to(std::uint64_t offset) const;
  // Its length and the time it was last changed: the same as before if nobody has.
  [[nodiscard]] std::array<std::int64_t, 3> state() const;
  // True if nobody else has it locked, and keeps writers that ask for the lock (file_lock.hpp) out from
  // now on. Never of standard input, whose descriptor is others' too.
  [[nodiscard]] bool keep_writers_out() const;

 private:
  std::string path_;
  int file_;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t start_ = 0;
};

file_contents read_all(const readable_file& file, std::uint64_t most, length_claim stated_bytes);
// The bytes that follow what has been read, up to so many; fewer if the file ends before.
std::vector<std::byte> read_on(const readable_file& file, std::uint64_t most);

}  // namespace bloomery::bits
