// Files that appear whole or not at all.
//
// Purpose:   writes to a temporary beside the target, syncs it, and renames. Follows symbolic
//            links, keeps an existing file's permissions, and writes straight to what is not a
//            regular file (a pipe, /dev/null).
// Guarantee: on any failure, and when the process is interrupted, the target is as it was and the
//            temporary is gone. A file that must not be replaced is kept, even if another program
//            makes it in the meantime. One write at a time per process (others wait).
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

// Removes the temporary of a write in progress, if any. Async-signal-safe: for signal handlers.
void abandon_write() noexcept;

}  // namespace bloomery::bits
