// An LT code: any number of symbols of a file, of which a few more than it has blocks give it back.
//
// Purpose:   what senders of a file that are strangers to each other can send without asking which blocks are missing:
//            each symbol is the exclusive or of some blocks, which its number chooses.
// Cost:      ln(blocks) blocks a symbol on average, to make and to take apart.
// Guarantee: a block that comes out is the file's, if the symbols are; which number of symbols is enough is up to chance, some 10 %
//            more than blocks for a thousand.
// Citation:  Luby, LT codes, 2002. As a means of delivery: Byers et al. 2002; Broder–Mitzenmacher §5.2.
//
//     const std::vector<std::byte> file(1000);
//     const bloomery::exchange::lt_code code(10, 100, 1);
//     bloomery::exchange::lt_decoder received(code);
//     for (std::uint64_t i = 0; !received.complete(); ++i) received.add(i, code.symbol(file, i));
//     assert(received.file() == file);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::exchange {

class lt_code {
 public:
  // errc::invalid unless there are 2 to 65,536 blocks of 1 to 65,536 bytes.
  lt_code(std::uint64_t blocks, std::uint64_t block_bytes, std::uint64_t seed);

  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t block_bytes() const { return block_bytes_; }
  // Of which blocks a symbol is made, in order.
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint64_t symbol) const;
  // Of a file of exactly the code's size.
  [[nodiscard]] std::vector<std::byte> symbol(byte_view file, std::uint64_t number) const;

 private:
  std::uint64_t blocks_;
  std::uint64_t block_bytes_;
  std::uint64_t seed_;
  std::vector<double> up_to_;  // shares of symbols of so many members or fewer
};

class lt_decoder {
 public:
  explicit lt_decoder(const lt_code& code);  // which must live on

  void add(std::uint64_t number, std::vector<std::byte> symbol);
  [[nodiscard]] bool complete() const { return known_ == code_->blocks(); }
  [[nodiscard]] std::uint64_t known() const { return known_; }
  // Blocks that are not known are zeros.
  [[nodiscard]] const std::vector<std::byte>& file() const { return file_; }

 private:
  struct open_symbol {
    std::vector<std::uint32_t> members;  // that are not known
    std::vector<std::byte> bytes;
  };
  void learn(std::uint32_t block, const std::vector<std::byte>& bytes);

  const lt_code* code_;
  std::vector<std::byte> file_;
  std::vector<bool> has_;
  std::uint64_t known_ = 0;
  std::vector<open_symbol> open_;
  std::vector<std::vector<std::size_t>> in_;  // which open symbols a block is in
};

}  // namespace bloomery::exchange
