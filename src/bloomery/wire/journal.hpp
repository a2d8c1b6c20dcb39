// What is to be written over a stored filter, kept behind it until that has been done.
//
// Purpose:   a large file is changed where it lies (in_place.hpp), and whoever reads it after an interruption
//            finds the old filter or the new one. docs/format.md is the specification.
// Guarantee: reading trusts nothing and allocates nothing. A journal that is not all there counts for
//            nothing, since no byte of the file is written over before it is; what is there and
//            is not as it must be is errc::corrupt, or errc::unsupported if a later version wrote it.
//
//     bloomery::bits::block_changes change{{0}, std::vector<std::byte>(4096)};
//     change.contents[99] = std::byte{7};
//     const std::vector<std::byte> tail = bloomery::wire::seal_journal(change, 128);
//     const bloomery::wire::file_tail found = bloomery::wire::judge_tail(tail, 128);
//     assert(found.what == bloomery::wire::file_tail::journal);
//     std::vector<std::byte> file(128);
//     bloomery::wire::redo(found, file);
//     assert(file[99] == std::byte{7});
//     const auto cut = bloomery::wire::judge_tail(bloomery::byte_view(tail).first(200), 128);
//     assert(cut.what == bloomery::wire::file_tail::nothing);
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/memory/file_blocks.hpp"
#include "bloomery/core/bytes.hpp"

namespace bloomery::wire {

inline constexpr std::uint64_t journal_head_bytes = 64;
inline constexpr std::uint64_t most_journal_blocks = 1 << 14;  // 64 MiB

// The bytes to append to a file of `base` bytes, a multiple of 64; one to most_journal_blocks blocks.
std::vector<std::byte> seal_journal(const bits::block_changes& change, std::uint64_t base);

// What follows the first `base` bytes of a file.
struct file_tail {
  enum kind { nothing, journal, strange };

  kind what = nothing;  // also if it is a journal that is not all there
  std::uint64_t base = 0;
  byte_view numbers;  // of a journal
  byte_view contents;

  // Shows each block of a journal: its place in the file, and what it is to hold.
  template <class Visit>
  void each_block(Visit visit) const {
    for (std::size_t i = 0; i < numbers.size() / 8; ++i) {
      const std::uint64_t at =
          core::load_le<std::uint64_t>(numbers.data() + 8 * i) * bits::file_block_bytes;
      visit(at, contents.subspan(i * bits::file_block_bytes,
                                 std::min(bits::file_block_bytes, base - at)));
    }
  }
};
file_tail judge_tail(byte_view tail, std::uint64_t base);

// How long a journal says it is, by its head; the head's own length if what is there is none.
std::uint64_t stated_journal(byte_view tail, std::uint64_t base);

// Writes the blocks of a journal over the file's first `base` bytes.
void redo(const file_tail& tail, std::span<std::byte> file);

}  // namespace bloomery::wire
