// A file as read-only memory.
//
// Purpose:   opening a stored filter copies nothing: pages arrive when queries touch them.
// Guarantee: a missing or unreadable file throws errc::io with the system's reason. What is not a
//            regular file (a pipe, a terminal) is read to its end, up to `most` bytes. A mapped
//            file must not be truncated by others meanwhile; replacing it by rename, as Bloomery
//            does, is safe.
//
//     const bloomery::bits::mapped_file self = bloomery::bits::map_file("/proc/self/exe", 1 << 30);
//     assert(self.bytes.size() > 4 && self.bytes[1] == std::byte{'E'});  // ELF
#pragma once

#include <memory>
#include <string>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

struct mapped_file {
  byte_view bytes;
  std::shared_ptr<const void> owner;  // keeps the bytes
};

// `stated_bytes` tells from the start of a stream how long it claims to be: reading stops at the
// first byte beyond, so that an endless one costs no more than a filter.
mapped_file map_file(const std::string& path, std::uint64_t most,
                     std::uint64_t (*stated_bytes)(byte_view start) = nullptr);

}  // namespace bloomery::bits
