// Stored files with wrong contents and right checksums: what a hostile writer, unlike chance, makes.
// The offsets are written out again here, from docs/format.md, to notice if the code's move.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::testing {

namespace offset {
inline constexpr std::size_t version = 8;
inline constexpr std::size_t field_count = 10;
inline constexpr std::size_t header_bytes = 12;
inline constexpr std::size_t payload_bytes = 16;
inline constexpr std::size_t items = 24;
inline constexpr std::size_t kind = 32;
inline constexpr std::size_t hash_id = 56;
inline constexpr std::size_t names_bytes = 60;
inline constexpr std::size_t hash_tag = 64;
inline constexpr std::size_t promised_keys = 72;
inline constexpr std::size_t promised_rate = 80;
inline constexpr std::size_t payload_checksum = 88;
inline constexpr std::size_t fields = 96;
}  // namespace offset

using file_bytes = std::vector<std::byte>;

// Makes both checksums right, as far as the stated header size allows.
inline void reseal(file_bytes& file) {
  if (file.size() < offset::fields) return;
  const auto header = core::load_le<std::uint32_t>(file.data() + offset::header_bytes);
  if (header < offset::fields + 8 || header > file.size()) return;
  const byte_view all(file);
  core::store_le<std::uint64_t>(file.data() + offset::payload_checksum,
                                wire::checksum(all.subspan(header)));
  core::store_le<std::uint64_t>(file.data() + header - 8, wire::checksum(all.first(header - 8)));
}

template <std::unsigned_integral T>
file_bytes resealed_with(file_bytes file, std::size_t at, T value) {
  core::store_le<T>(file.data() + at, value);
  reseal(file);
  return file;
}

inline file_bytes resealed_with_field(file_bytes file, std::size_t field, std::uint64_t value) {
  return resealed_with(std::move(file), offset::fields + 8 * field, value);
}

inline file_bytes resealed_with_kind(file_bytes file, std::string_view name) {
  constexpr std::size_t room = offset::hash_id - offset::kind;
  std::memset(file.data() + offset::kind, 0, room);
  std::memcpy(file.data() + offset::kind, name.data(), std::min(name.size(), room));
  reseal(file);
  return file;
}

}  // namespace bloomery::testing
