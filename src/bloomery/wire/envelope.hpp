// The one container for every kind: a checked header and a 64-byte-aligned payload.
//
// Purpose:   docs/format.md is the specification; this is its only reader and writer in C++.
// Guarantee: open_envelope trusts nothing: magic, version, sizes, checksums, reserved bytes and
//            limits are checked before anything is believed, in that order, and nothing is
//            allocated beyond the header. Every failure is errc::corrupt, errc::limit or errc::unsupported.
//
//     const bloomery::wire::envelope out{"demo", {}, {1, 2}};
//     const std::array<std::byte, 64> cells{};
//     const std::array payload{bloomery::byte_view(cells)};
//     const auto header = bloomery::wire::seal(out, payload);
//     assert(header.size() % 64 == 0);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/kind.hpp"

namespace bloomery::wire {

inline constexpr std::uint16_t format_version = 1;
inline constexpr std::size_t max_kind_name = 23;
inline constexpr std::size_t max_fields = 32;
inline constexpr std::size_t max_names = std::size_t{1} << 20;
inline constexpr std::size_t max_name_bytes = 4096;

struct load_options {
  std::uint64_t max_payload_bytes = max_bits / 8;
  // Of a filter that is read or expanded, rather than viewed in place.
  std::uint64_t max_memory = bits::machine_memory();
  bool verify_payload = true;  // waive to map a huge file without reading it

  [[nodiscard]] std::uint64_t most_copied() const {
    return max_payload_bytes < max_memory ? max_payload_bytes : max_memory;
  }
};

struct envelope {
  std::string kind;
  filter_record record;
  std::vector<std::uint64_t> fields;  // the shape, encoded
};

envelope make_envelope(std::string_view kind, const filter_record& record,
                       std::span<const field_info> fields, std::span<const field_value> shape);

// Names as they are stored behind the cells, in whole cache lines; nothing for none. errc::invalid
// for more or longer ones than can be kept.
std::vector<std::byte> stored_names(std::span<const std::string> names);

inline std::uint64_t total_bytes(std::span<const byte_view> parts) {
  std::uint64_t total = 0;
  for (const byte_view part : parts) total += part.size();
  return total;
}

struct opened_envelope {
  envelope head;
  byte_view payload;
};

// The header bytes to write in front of the payload, whose last part are the stored names, if any.
std::vector<std::byte> seal(const envelope& head, std::span<const byte_view> payload);

// Header and payload as one run of bytes, and as a file that appears whole or not at all.
std::vector<std::byte> save(const envelope& head, std::span<const byte_view> payload);
void save_file(const envelope& head, std::vector<byte_view> payload, const std::string& path);

// The parts of such a file: header, payload and names.
struct file_parts {
  std::vector<std::byte> header;
  std::vector<std::byte> names;
  std::vector<byte_view> all;
};
file_parts parts_of(const envelope& head, std::vector<byte_view> payload);

// The length that the first bytes of a file state, unchecked; 0 if it is not a filter. For readers
// of streams, which must know when to stop.
std::uint64_t stated_bytes(byte_view start);
// Where those state its kind, unchecked: that, or how its payload is coded.
std::string_view stated_form(byte_view start);

// A kind's name as stored, followed by zeros; errc::corrupt if it is not a name.
std::string read_name(byte_view place);

opened_envelope open_envelope(byte_view file, const load_options& options = {});

}  // namespace bloomery::wire
