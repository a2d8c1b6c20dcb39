#include "bloomery/wire/journal.hpp"

#include <array>
#include <cassert>
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::wire {
namespace {

constexpr std::array<unsigned char, 8> journal_mark{0x89, 'B', 'L', 'M', 'J', '\r', '\n', 0x1a};
constexpr std::uint16_t journal_version = 1;

// Offsets into the head; docs/format.md has the same table.
constexpr std::size_t at_journal_version = 8;
constexpr std::size_t at_journal_base = 16;
constexpr std::size_t at_journal_count = 24;
constexpr std::size_t at_journal_checksum = 32;
constexpr std::size_t at_journal_reserved = 40;
constexpr std::size_t at_head_checksum = 56;
constexpr std::uint64_t number_bytes = 8;

bool has_mark(byte_view tail) {
  const std::size_t bytes = std::min(tail.size(), journal_mark.size());
  return std::ranges::equal(tail.first(bytes), std::as_bytes(std::span(journal_mark)).first(bytes));
}

// The head's checksum is right, and so it was written on purpose.
bool has_head(byte_view tail) {
  return tail.size() >= journal_head_bytes && has_mark(tail) &&
         core::load_le<std::uint64_t>(tail.data() + at_head_checksum) ==
             checksum(tail.first(at_head_checksum));
}

// An append that was cut by the end of a program or of the power: of the head alone, which is on the disk before
// anything follows it. Where a file system lengthens a file before it writes, all of it is zero.
bool is_cut_head(byte_view tail) {
  return tail.size() <= journal_head_bytes &&
         (has_mark(tail) || (tail.size() == journal_head_bytes && core::all_zero(tail)));
}

std::uint64_t blocks_in(std::uint64_t base) {
  return (base + bits::file_block_bytes - 1) / bits::file_block_bytes;
}

std::uint64_t bytes_of_journal(std::uint64_t blocks) {
  return journal_head_bytes + blocks * (number_bytes + bits::file_block_bytes);
}

[[noreturn]] void bad_journal(const std::string& what) {
  fail(errc::corrupt, "the journal behind the payload " + what);
}

// The number of blocks that a head states.
std::uint64_t checked_count(byte_view tail, std::uint64_t base) {
  const std::byte* const head = tail.data();
  const auto version = core::load_le<std::uint16_t>(head + at_journal_version);
  if (version != journal_version) {
    fail(errc::unsupported, "journal version " + std::to_string(version) +
                                " is not known; this program reads version " +
                                std::to_string(journal_version));
  }
  constexpr std::size_t after_version = at_journal_version + sizeof version;
  if (!core::all_zero(tail.subspan(after_version, at_journal_base - after_version)) ||
      !core::all_zero(tail.subspan(at_journal_reserved, at_head_checksum - at_journal_reserved))) {
    bad_journal("has reserved bytes that are not zero");
  }
  const auto stated_base = core::load_le<std::uint64_t>(head + at_journal_base);
  if (stated_base != base) {
    bad_journal("is for a file of " + std::to_string(stated_base) + " bytes, this has " +
                std::to_string(base));
  }
  const auto count = core::load_le<std::uint64_t>(head + at_journal_count);
  const std::uint64_t most = std::min(most_journal_blocks, blocks_in(base));
  if (count == 0 || count > most) {
    bad_journal("has " + std::to_string(count) + " blocks, outside 1 to " + std::to_string(most));
  }
  return count;
}

void check_blocks(const file_tail& journal) {
  const std::uint64_t blocks = blocks_in(journal.base);
  std::optional<std::uint64_t> last;
  for (std::size_t i = 0; i < journal.numbers.size(); i += number_bytes) {
    const auto number = core::load_le<std::uint64_t>(journal.numbers.data() + i);
    if (number >= blocks || (last && number <= *last)) {
      bad_journal("has block " + std::to_string(number) + " out of range or order");
    }
    last = number;
  }
  const std::uint64_t short_by = blocks * bits::file_block_bytes - journal.base;
  if (*last == blocks - 1 && !core::all_zero(journal.contents.last(short_by))) {
    bad_journal("reaches beyond the payload");
  }
}

}  // namespace

std::vector<std::byte> seal_journal(const bits::block_changes& change, std::uint64_t base) {
  const std::uint64_t count = change.numbers.size();
  assert(count >= 1 && count <= most_journal_blocks);
  assert(change.contents.size() == count * bits::file_block_bytes);
  std::vector<std::byte> sealed(bytes_of_journal(count));
  std::byte* const head = sealed.data();
  std::byte* at = head + journal_head_bytes;
  for (const std::uint64_t number : change.numbers) {
    core::store_le<std::uint64_t>(at, number);
    at += number_bytes;
  }
  std::ranges::copy(change.contents, at);
  std::ranges::copy(std::as_bytes(std::span(journal_mark)), head);
  core::store_le<std::uint16_t>(head + at_journal_version, journal_version);
  core::store_le<std::uint64_t>(head + at_journal_base, base);
  core::store_le<std::uint64_t>(head + at_journal_count, count);
  const byte_view all(sealed);
  core::store_le<std::uint64_t>(head + at_journal_checksum,
                                checksum(all.subspan(journal_head_bytes)));
  core::store_le<std::uint64_t>(head + at_head_checksum, checksum(all.first(at_head_checksum)));
  return sealed;
}

std::uint64_t stated_journal(byte_view tail, std::uint64_t base) {
  if (!has_head(tail)) return journal_head_bytes;
  return bytes_of_journal(checked_count(tail, base));
}

file_tail judge_tail(byte_view tail, std::uint64_t base) {
  file_tail found;
  found.base = base;
  if (tail.empty()) return found;
  found.what = has_head(tail) || is_cut_head(tail) ? file_tail::nothing : file_tail::strange;
  if (!has_head(tail)) return found;
  const std::uint64_t count = checked_count(tail, base);
  const std::uint64_t whole = bytes_of_journal(count);
  if (tail.size() > whole) found.what = file_tail::strange;
  if (tail.size() != whole) return found;
  const byte_view body = tail.subspan(journal_head_bytes);
  if (checksum(body) != core::load_le<std::uint64_t>(tail.data() + at_journal_checksum)) {
    return found;
  }
  found.what = file_tail::journal;
  found.numbers = body.first(count * number_bytes);
  found.contents = body.subspan(count * number_bytes);
  check_blocks(found);
  return found;
}

void redo(const file_tail& tail, std::span<std::byte> file) {
  assert(file.size() == tail.base);
  tail.each_block([&](std::uint64_t at, byte_view block) {
    std::ranges::copy(block, file.begin() + static_cast<std::ptrdiff_t>(at));
  });
}

}  // namespace bloomery::wire
