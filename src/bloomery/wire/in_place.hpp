// A stored filter that is changed where it lies, if that is less work than to write it anew.
//
// Purpose:   a key put into a filter of gigabytes changes a few blocks of its file. Those are appended to the
//            file as a journal (journal.hpp), then written over it, and the journal is cut off.
// Cost:      the file is read once, to compare; what differs is written twice, and synced three times.
// Guarantee: at every moment, and after every end of the program or the power, the file reads as the old
//            filter or the new one; as the new one from when this returns. Inode, owner, permissions and
//            access lists stay. A file that is small, new, of another length, or different in more than an
//            eighth (or 64 MiB), or that has further names (hard links) or lends its owner's rights, is
//            replaced as a whole (bits/memory/file_writer.hpp). So it is if the journal cannot be written.
//
//     const std::string path = "changed.bloom";
//     auto filter = bloomery::standard_filter::for_keys(4'000'000, 0.01);
//     const bloomery::any_filter before(filter);
//     bloomery::save_file(before, path);
//     const bloomery::bits::file_lock lock(path);
//     filter.insert({1, 2});
//     assert(bloomery::change_file(bloomery::any_filter(filter), path, lock).in_place);
//     assert(!bloomery::change_file(before, path, lock, bloomery::wire::writing::whole).in_place);
#pragma once

#include <string>
#include <vector>

#include "bloomery/bits/memory/file_lock.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::wire {

// From here on it takes less time than to write the file anew, as the machine was on which this was measured.
inline constexpr std::uint64_t least_changed_in_place = 4 << 20;

enum class writing { least, whole };

struct written {
  bool in_place = false;
  std::string why_not;  // a clause about the file
  // The change is kept, as a journal behind the payload, but could not be written over the file, because of this.
  std::string unsettled;
};

// Writes the file that `lock` holds, or none if it holds none, from before it was read.
written change_file(const envelope& head, std::vector<byte_view> payload, const std::string& path,
                    const bits::file_lock& lock, writing how = writing::least);

}  // namespace bloomery::wire
