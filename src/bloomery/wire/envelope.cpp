#include "bloomery/wire/envelope.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <new>
#include <utility>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::wire {
namespace {

// A byte above 127, a line end and an end-of-file mark betray transfers that mangle text.
constexpr std::array<unsigned char, 8> magic{0x89, 'B', 'L', 'M', 'Y', '\r', '\n', 0x1a};

// Offsets into the header; docs/format.md has the same table.
constexpr std::size_t at_version = 8;
constexpr std::size_t at_field_count = 10;
constexpr std::size_t at_header_bytes = 12;
constexpr std::size_t at_payload_bytes = 16;
constexpr std::size_t at_items = 24;
constexpr std::size_t at_kind = 32;
constexpr std::size_t at_hash_id = 56;
constexpr std::size_t at_names_bytes = 60;
constexpr std::size_t at_hash_tag = 64;
constexpr std::size_t at_promised_keys = 72;
constexpr std::size_t at_promised_rate = 80;
constexpr std::size_t at_payload_checksum = 88;
constexpr std::size_t at_fields = 96;
constexpr std::size_t checksum_bytes = 8;
static_assert(at_hash_id - at_kind == max_kind_name + 1);

std::size_t header_bytes(std::size_t fields) {
  return core::round_up(at_fields + 8 * fields + checksum_bytes, cache_line_bytes);
}

[[noreturn]] void corrupt(const std::string& what) {
  fail(errc::corrupt, what);
}

promise read_promise(const std::byte* header) {
  const promise promised{
      core::load_le<std::uint64_t>(header + at_promised_keys),
      std::bit_cast<double>(core::load_le<std::uint64_t>(header + at_promised_rate))};
  const bool none = promised == promise{};
  const bool sound =
      promised.keys >= 1 && promised.keys <= max_keys && promised.rate > 0 && promised.rate < 1;
  if (!none && !sound) corrupt("the promised keys and rate are out of range");
  return promised;
}

std::vector<std::string> read_names(byte_view stored) {
  std::vector<std::string> names;
  if (stored.empty()) return names;
  const auto count = core::load_le<std::uint32_t>(stored.data());
  if (count == 0 || count > max_names) corrupt("the number of names is out of range");
  std::size_t at = sizeof count;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (stored.size() - at < sizeof(std::uint16_t)) corrupt("the names do not fit their place");
    const auto bytes = core::load_le<std::uint16_t>(stored.data() + at);
    at += sizeof bytes;
    if (bytes > max_name_bytes || stored.size() - at < bytes) {
      corrupt("the names do not fit their place");
    }
    names.emplace_back(text_of(stored.subspan(at, bytes)));
    at += bytes;
  }
  if (core::round_up(at, cache_line_bytes) != stored.size() ||
      !core::all_zero(stored.subspan(at))) {
    corrupt("the names do not fill their place");
  }
  return names;
}

}  // namespace

std::vector<std::byte> stored_names(std::span<const std::string> names) {
  if (names.empty()) return {};
  if (names.size() > max_names) {
    fail(errc::invalid, format_count(names.size()) + " names are too many: at most " +
                            format_count(max_names) + " can be kept");
  }
  std::size_t bytes = sizeof(std::uint32_t);
  for (const std::string& name : names) {
    if (name.size() > max_name_bytes) {
      fail(errc::invalid, "a name of " + std::to_string(name.size()) + " bytes is too long: '" +
                              name.substr(0, 40) + "…'; at most " + std::to_string(max_name_bytes) +
                              " are kept");
    }
    bytes += sizeof(std::uint16_t) + name.size();
  }
  if (bytes > std::numeric_limits<std::uint32_t>::max() - cache_line_bytes) {
    fail(errc::invalid, "the names take " + format_size(bytes) + ", over 4 GiB");
  }
  std::vector<std::byte> stored(core::round_up(bytes, cache_line_bytes));
  core::store_le<std::uint32_t>(stored.data(), static_cast<std::uint32_t>(names.size()));
  std::byte* at = stored.data() + sizeof(std::uint32_t);
  for (const std::string& name : names) {
    core::store_le<std::uint16_t>(at, static_cast<std::uint16_t>(name.size()));
    at = std::ranges::copy(bytes_of(name), at + sizeof(std::uint16_t)).out;
  }
  return stored;
}

std::string read_name(byte_view place) {
  const std::string_view stored = text_of(place);
  const std::size_t end = stored.find('\0');
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (end == 0 || end == std::string_view::npos || stored.find_first_not_of(allowed) != end ||
      stored.find_first_not_of('\0', end) != std::string_view::npos) {
    corrupt("the kind's name is malformed");
  }
  return std::string(stored.substr(0, end));
}

std::vector<std::byte> seal(const envelope& head, std::span<const byte_view> payload) {
  assert(!head.kind.empty() && head.kind.size() <= max_kind_name);
  assert(head.fields.size() <= max_fields);
  for (const byte_view part : payload) assert(part.size() % cache_line_bytes == 0);
  std::vector<std::byte> header(header_bytes(head.fields.size()));
  std::byte* const start = header.data();
  std::ranges::copy(std::as_bytes(std::span(magic)), start);
  core::store_le<std::uint16_t>(start + at_version, format_version);
  core::store_le<std::uint16_t>(start + at_field_count,
                                static_cast<std::uint16_t>(head.fields.size()));
  core::store_le<std::uint32_t>(start + at_header_bytes, static_cast<std::uint32_t>(header.size()));
  core::store_le<std::uint64_t>(start + at_payload_bytes, total_bytes(payload));
  core::store_le<std::uint64_t>(start + at_items, std::min(head.record.items, max_items));
  std::ranges::copy(bytes_of(head.kind), start + at_kind);
  core::store_le<std::uint32_t>(start + at_hash_id,
                                static_cast<std::uint32_t>(head.record.hash.id));
  core::store_le<std::uint32_t>(
      start + at_names_bytes,
      head.record.names.empty() ? 0 : static_cast<std::uint32_t>(payload.back().size()));
  core::store_le<std::uint64_t>(start + at_hash_tag, head.record.hash.tag);
  core::store_le<std::uint64_t>(start + at_promised_keys, head.record.promised.keys);
  core::store_le<std::uint64_t>(start + at_promised_rate,
                                std::bit_cast<std::uint64_t>(head.record.promised.rate));
  core::store_le<std::uint64_t>(start + at_payload_checksum, checksum(payload));
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    core::store_le<std::uint64_t>(start + at_fields + 8 * i, head.fields[i]);
  }
  const std::size_t checked = header.size() - checksum_bytes;
  core::store_le<std::uint64_t>(start + checked, checksum(byte_view(header).first(checked)));
  return header;
}

std::vector<std::byte> save(const envelope& head, std::span<const byte_view> payload) {
  const std::vector<std::byte> names = stored_names(head.record.names.all());
  std::vector<byte_view> parts(payload.begin(), payload.end());
  if (!names.empty()) parts.emplace_back(names);
  std::vector<std::byte> bytes = seal(head, parts);
  const std::size_t total = bytes.size() + total_bytes(parts);
  try {
    bytes.reserve(total);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "the machine refused " + format_size(total) + " of memory");
  }
  for (const byte_view part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

file_parts parts_of(const envelope& head, std::vector<byte_view> payload) {
  file_parts parts;
  parts.names = stored_names(head.record.names.all());
  if (!parts.names.empty()) payload.emplace_back(parts.names);
  parts.header = seal(head, payload);
  payload.insert(payload.begin(), parts.header);
  parts.all = std::move(payload);
  return parts;
}

void save_file(const envelope& head, std::vector<byte_view> payload, const std::string& path) {
  bits::write_file(path, parts_of(head, std::move(payload)).all);
}

envelope make_envelope(std::string_view kind, const filter_record& record,
                       std::span<const field_info> fields, std::span<const field_value> shape) {
  envelope head{std::string(kind), record, {}};
  for (const field_value& value : shape.first(stated_fields(fields, shape))) {
    head.fields.push_back(encode_value(value));
  }
  return head;
}

std::uint64_t stated_bytes(byte_view start) {
  if (start.size() < at_fields ||
      !std::ranges::equal(start.first(magic.size()), std::as_bytes(std::span(magic)))) {
    return 0;
  }
  const auto header = core::load_le<std::uint32_t>(start.data() + at_header_bytes);
  const auto payload = core::load_le<std::uint64_t>(start.data() + at_payload_bytes);
  return header + std::min(payload, max_bits / 8);
}

std::string_view stated_form(byte_view start) {
  if (stated_bytes(start) == 0) return {};
  const std::string_view place = text_of(start.subspan(at_kind, max_kind_name + 1));
  return place.substr(0, place.find('\0'));
}

opened_envelope open_envelope(byte_view file, const load_options& options) {
  if (file.size() < magic.size() ||
      !std::ranges::equal(file.first(magic.size()), std::as_bytes(std::span(magic)))) {
    corrupt("this is not a Bloomery filter (the first bytes are not its mark)");
  }
  if (file.size() < at_fields) corrupt("the file ends inside its header");
  const std::byte* const header = file.data();
  const auto version = core::load_le<std::uint16_t>(header + at_version);
  if (version != format_version) {
    fail(errc::unsupported, "format version " + std::to_string(version) +
                                " is not known; this program reads version " +
                                std::to_string(format_version));
  }
  const auto field_count = core::load_le<std::uint16_t>(header + at_field_count);
  const auto stated_header = core::load_le<std::uint32_t>(header + at_header_bytes);
  if (field_count > max_fields || stated_header != header_bytes(field_count)) {
    corrupt("the header's size does not fit its fields");
  }
  if (file.size() < stated_header) corrupt("the file ends inside its header");
  const std::size_t checked = stated_header - checksum_bytes;
  if (core::load_le<std::uint64_t>(header + checked) != checksum(file.first(checked))) {
    corrupt("the header is damaged (its checksum does not match)");
  }
  const std::size_t fields_end = at_fields + std::size_t{8} * field_count;
  if (!core::all_zero(file.subspan(fields_end, checked - fields_end))) {
    corrupt("reserved bytes of the header are not zero");
  }

  const auto payload_bytes = core::load_le<std::uint64_t>(header + at_payload_bytes);
  if (payload_bytes > options.max_payload_bytes) {
    fail(errc::limit, "the payload of " + format_size(payload_bytes) + " is over the limit of " +
                          format_size(options.max_payload_bytes));
  }
  const std::uint64_t present = file.size() - stated_header;
  if (present != payload_bytes) {
    corrupt("the payload should be " + std::to_string(payload_bytes) + " bytes, there are " +
            std::to_string(present));
  }
  if (payload_bytes % cache_line_bytes != 0) corrupt("the payload is not whole 64-byte lines");
  const byte_view payload = file.subspan(stated_header);
  if (options.verify_payload &&
      core::load_le<std::uint64_t>(header + at_payload_checksum) != checksum(payload)) {
    corrupt("the payload is damaged (its checksum does not match)");
  }

  opened_envelope result;
  const auto names_bytes = core::load_le<std::uint32_t>(header + at_names_bytes);
  if (names_bytes % cache_line_bytes != 0 || names_bytes > payload_bytes) {
    corrupt("the place of the names is out of range");
  }
  result.payload = payload.first(payload.size() - names_bytes);
  result.head.record.names = read_names(payload.last(names_bytes));
  result.head.kind = read_name({header + at_kind, max_kind_name + 1});
  result.head.record.hash.id =
      static_cast<hash_id>(core::load_le<std::uint32_t>(header + at_hash_id));
  result.head.record.hash.tag = core::load_le<std::uint64_t>(header + at_hash_tag);
  if (!is_known(result.head.record.hash.id)) {
    fail(errc::unsupported,
         "hash id " + std::to_string(static_cast<std::uint32_t>(result.head.record.hash.id)) +
             " is not known");
  }
  result.head.record.items = core::load_le<std::uint64_t>(header + at_items);
  if (result.head.record.items > max_items) corrupt("the count of items is out of range");
  result.head.record.promised = read_promise(header);
  for (std::size_t i = 0; i < field_count; ++i) {
    result.head.fields.push_back(core::load_le<std::uint64_t>(header + at_fields + 8 * i));
  }
  return result;
}

}  // namespace bloomery::wire
