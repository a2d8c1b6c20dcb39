// A file as read-only memory.
//
// Purpose:   opening a file copies nothing: pages arrive when they are touched.
// Guarantee: as read_file (file_reader.hpp), by which what is not a regular file (a pipe, a terminal) is
//            read. The bytes change when others write to the file, and touching them ends the program
//            (SIGBUS) once it has been truncated. Bloomery replaces a file by rename, or writes over parts
//            of it and what follows its end (wire/in_place.hpp): both are safe.
//
//     const bloomery::bits::mapped_file self = bloomery::bits::map_file("/proc/self/exe", 1 << 30);
//     assert(self.bytes.size() > 4 && self.bytes[1] == std::byte{'E'});  // ELF
#pragma once

#include <memory>
#include <string>

#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

struct mapped_file {
  byte_view bytes;
  std::shared_ptr<const void> owner;  // keeps the bytes
};

mapped_file map_file(const std::string& path, std::uint64_t most,
                     length_claim stated_bytes = nullptr);
// The first bytes of a regular file, which has so many.
mapped_file map_start(const readable_file& file, std::uint64_t bytes);

}  // namespace bloomery::bits
