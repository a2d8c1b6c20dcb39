// Files that appear whole or not at all.
//
// Purpose:   writes to a temporary beside the target, syncs it, and renames. Follows symbolic
//            links, and writes straight to what is not a regular file (a pipe, /dev/null). Of a file
//            that it replaces it keeps the permissions, and owner and group where the system lets
//            it; a group that it cannot keep leaves the new one no more than everybody has. Bits that
//            lend the owner's rights (setuid, setgid) are dropped: they were for other contents.
// Guarantee: on any failure, and when the process is interrupted, the target is as it was and the
//            temporary is gone. A file that must not be replaced is kept, even if another program
//            makes it in the meantime. So is one that its owner, or this process, may not write,
//            though the directory would allow it. One write at a time per process (others wait).
//
//     const std::string path = "whole.bin";
//     bloomery::bits::write_file(path, std::array{bloomery::bytes_of("all of it")});
//     assert(std::filesystem::file_size(path) == 9);
#pragma once

#include <span>
#include <string>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

// Who may read it: whom the process's umask, or the file that is replaced, allows; or its owner alone.
enum class readers { usual, owner };
// A file that is there already: kept, which is errc::io; on file systems with hard links alone.
enum class existing { replaced, kept };
void write_file(const std::string& path, std::span<const byte_view> parts,
                readers allowed = readers::usual, existing file = existing::replaced);

// errc::io if write_file would refuse to replace what is there: to know before the work is done.
void require_replaceable(const std::string& path);

// Removes the temporary of a write in progress, if any. Async-signal-safe: for signal handlers.
void abandon_write() noexcept;

}  // namespace bloomery::bits
