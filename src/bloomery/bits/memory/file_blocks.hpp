// A file that is changed where it lies, block by block.
//
// Purpose:   what little of a large file is to be different, found by comparing, and written.
// Cost:      comparing reads the file once, in pieces of a megabyte, and keeps the blocks that differ.
// Guarantee: what the system refuses is errc::io, with its reason; interrupts and short writes are
//            gone on from. Nothing is written by comparing.
//
//     const std::string path = "blocks.bin";
//     bloomery::bits::write_file(path, std::array{bloomery::bytes_of("some of it")});
//     const bloomery::bits::file_lock lock(path);
//     const bloomery::bits::block_file file(lock.number(), path);
//     const std::array wanted{bloomery::bytes_of("some"), bloomery::bytes_of(" of us")};
//     const auto found = bloomery::bits::differing_blocks(file, wanted, 1);
//     assert(found && found->numbers == std::vector<std::uint64_t>{0});
//     file.write(8, bloomery::bytes_of("us"));
//     assert(bloomery::bits::differing_blocks(file, wanted, 1)->numbers.empty());
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

inline constexpr std::uint64_t file_block_bytes = 4096;

// A descriptor of a regular file, of which another is the owner, to be read and written.
class block_file {
 public:
  block_file(int file, const std::string& path) : file_(file), path_(path) {}

  [[nodiscard]] std::uint64_t size() const;
  // The bytes there; fewer at the end of the file.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t offset, std::uint64_t bytes) const;
  std::uint64_t read(std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint64_t offset, byte_view bytes) const;
  void sync() const;  // on the disk, and not only written, once this returns
  void cut(std::uint64_t size) const;

 private:
  [[noreturn]] void fail(const char* doing) const;

  int file_;
  const std::string& path_;
};

// Blocks of a file, the first being number 0, and what each is to hold. The file's last block may be short;
// zeros fill its place.
struct block_changes {
  std::vector<std::uint64_t> numbers;  // rising
  std::vector<std::byte> contents;     // file_block_bytes each
};

// Where the file differs from the parts, which are as long as it together; nothing if in more than `most`
// blocks.
std::optional<block_changes> differing_blocks(const block_file& file,
                                              std::span<const byte_view> parts, std::uint64_t most);

}  // namespace bloomery::bits
