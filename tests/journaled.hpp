// Stored files that a journal follows. The offsets are written out again here, from docs/format.md.
#pragma once

#include <algorithm>

#include "bloomery/core/error.hpp"
#include "bloomery/wire/envelope.hpp"
#include "bloomery/wire/journal.hpp"
#include "reseal.hpp"

namespace bloomery::testing {

// The file that the journal, if one follows, makes of this one.
inline file_bytes settled(file_bytes file) {
  const std::uint64_t stated = wire::stated_bytes(file);
  if (stated == 0 || file.size() <= stated) return file;
  const file_bytes tail(file.begin() + static_cast<std::ptrdiff_t>(stated), file.end());
  file.resize(stated);
  wire::redo(wire::judge_tail(tail, stated), file);
  return file;
}

// Makes the checksums right: those of a journal, as far as it is one, and those of what it makes of the file.
inline void reseal_all(file_bytes& file) {
  constexpr std::size_t head_bytes = 64;
  constexpr std::size_t body_sum = 32;
  constexpr std::size_t head_sum = 56;
  const std::uint64_t stated = wire::stated_bytes(file);
  if (stated == 0 || file.size() < stated + head_bytes) return reseal(file);
  const auto start = static_cast<std::ptrdiff_t>(stated);
  file_bytes tail(file.begin() + start, file.end());
  const auto seal_tail = [&] {
    const byte_view all(tail);
    core::store_le<std::uint64_t>(tail.data() + body_sum, wire::checksum(all.subspan(head_bytes)));
    core::store_le<std::uint64_t>(tail.data() + head_sum, wire::checksum(all.first(head_sum)));
    std::ranges::copy(tail, file.begin() + start);
  };
  seal_tail();
  wire::file_tail journal;
  try {
    journal = wire::judge_tail(tail, stated);
  } catch (const error&) {
    return;  // to be refused
  }
  if (journal.what != wire::file_tail::journal) return;
  // What is not in the journal comes from the file, sealed; in the journal, what the seal makes of it.
  file_bytes whole = settled(file);
  reseal(whole);
  const file_bytes old = file;
  std::ranges::copy(whole, file.begin());
  std::ptrdiff_t at_block = journal.contents.data() - tail.data();
  journal.each_block([&](std::uint64_t at, byte_view block) {
    const auto from = static_cast<std::ptrdiff_t>(at);
    const auto bytes = static_cast<std::ptrdiff_t>(block.size());
    std::copy_n(whole.begin() + from, bytes, tail.begin() + at_block);
    std::copy_n(old.begin() + from, bytes, file.begin() + from);
    at_block += static_cast<std::ptrdiff_t>(bits::file_block_bytes);
  });
  seal_tail();
}

}  // namespace bloomery::testing
