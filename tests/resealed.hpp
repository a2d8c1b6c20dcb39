// What tests and fuzzers of messages share: a message whose stated length and checksum are made right
// again, and whose fault an error is.
#pragma once

#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::testing {

inline std::vector<std::byte> resealed_message(std::vector<std::byte> bytes) {
  if (bytes.size() < 24) return bytes;
  core::store_le<std::uint64_t>(bytes.data() + 8, bytes.size());
  const std::size_t checked = bytes.size() - 8;
  core::store_le(bytes.data() + checked, wire::checksum(byte_view(bytes).first(checked)));
  return bytes;
}

inline bool is_senders_fault(const error& problem) {
  const errc code = problem.code();
  return code == errc::corrupt || code == errc::incompatible || code == errc::limit ||
         code == errc::unsupported;
}

}  // namespace bloomery::testing
