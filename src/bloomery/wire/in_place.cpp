#include "bloomery/wire/in_place.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "bloomery/bits/memory/file_blocks.hpp"
#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/journal.hpp"

namespace bloomery::wire {
namespace {

constexpr std::uint64_t most_share = 8;  // of the file's blocks, the inverse

using bits::block_file;

void write_over(const block_file& file, const file_tail& journal) {
  journal.each_block([&](std::uint64_t at, byte_view block) { file.write(at, block); });
  file.sync();  // before the journal goes
  // Not synced: if the journal came back, it would say the same again.
  file.cut(journal.base);
}

// Why the file that is locked must be replaced rather than changed; empty if it need not.
std::string why_replaced(const std::string& path, const bits::file_lock& lock,
                         std::uint64_t bytes) {
  if (!lock.held()) return "it is new, or no regular file";
  struct stat found {};
  struct stat named {};
  if (::fstat(lock.number(), &found) != 0 || ::stat(path.c_str(), &named) != 0 ||
      found.st_dev != named.st_dev || found.st_ino != named.st_ino) {
    return "another file has taken its place";
  }
  if (bytes < least_changed_in_place) {
    return "it is smaller than " + format_size(least_changed_in_place);
  }
  if (found.st_nlink > 1) return "it has another name, a hard link, which keeps what it was";
  if ((found.st_mode & (S_ISUID | S_ISGID)) != 0) return "it lends its owner's rights";
  return {};
}

// What an interrupted change has left behind the filter is written over it, or cut off; false if the
// file is not a filter of this length.
bool settle(const block_file& file, std::uint64_t bytes) {
  constexpr std::uint64_t start_bytes = 4096;
  if (stated_bytes(file.read(0, start_bytes)) != bytes || file.size() < bytes) return false;
  if (file.size() == bytes) return true;
  const std::uint64_t base = bytes;
  const std::vector<std::byte> head = file.read(base, journal_head_bytes);
  const std::vector<std::byte> tail = file.read(bytes, stated_journal(head, bytes) + 1);
  const file_tail found = judge_tail(tail, bytes);
  if (found.what == file_tail::strange) return false;
  if (found.what == file_tail::journal) {
    write_over(file, found);
  } else {
    file.cut(bytes);
  }
  return true;
}

// Until this has returned, the old filter counts; from then on, the new one.
void append(const block_file& file, std::uint64_t base, byte_view journal) {
  try {
    // The head first, so that what follows the payload is known for a journal whatever of the rest arrives.
    file.write(base, journal.first(journal_head_bytes));
    file.sync();
    file.write(base + journal_head_bytes, journal.subspan(journal_head_bytes));
    file.sync();
  } catch (...) {
    file.cut(base);
    throw;
  }
}

// Why not, or empty if it is done.
std::string write_in_place(const block_file& file, std::span<const byte_view> parts,
                           std::uint64_t bytes, std::string& unsettled) {
  if (!settle(file, bytes)) return "its length changes";
  const std::uint64_t blocks = bytes / bits::file_block_bytes;
  const std::uint64_t most = std::min(most_journal_blocks, blocks / most_share);
  const auto change = bits::differing_blocks(file, parts, most);
  if (!change) {
    return "more than " + format_count(most) + " of its " + format_count(blocks) +
           " blocks of 4 KiB change";
  }
  if (change->numbers.empty()) return {};
  const std::vector<std::byte> journal = seal_journal(*change, bytes);
  append(file, bytes, journal);
  try {
    write_over(file, judge_tail(journal, bytes));
  } catch (const error& problem) {
    unsettled = problem.what();
  }
  return {};
}

}  // namespace

written change_file(const envelope& head, std::vector<byte_view> payload, const std::string& path,
                    const bits::file_lock& lock, writing how) {
  const file_parts parts = parts_of(head, std::move(payload));
  const std::uint64_t bytes = total_bytes(parts.all);
  written done;
  done.why_not = how == writing::whole ? "that was asked for" : why_replaced(path, lock, bytes);
  if (done.why_not.empty()) {
    try {
      done.why_not =
          write_in_place(block_file(lock.number(), path), parts.all, bytes, done.unsettled);
      done.in_place = done.why_not.empty();
    } catch (const error& problem) {
      done.why_not = problem.what();
    }
  }
  if (!done.in_place) bits::write_file(path, parts.all);
  return done;
}

}  // namespace bloomery::wire
