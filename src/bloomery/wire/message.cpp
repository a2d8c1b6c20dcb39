#include "bloomery/wire/message.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <string>

#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::wire {
namespace {

// A byte above 127 tells a message from text, and the last one from the mark of a stored filter.
constexpr std::array<unsigned char, 4> mark{0x89, 'B', 'L', 'm'};

// Offsets; docs/format.md has the same table.
constexpr std::size_t at_version = 4;
constexpr std::size_t at_fields = 5;
constexpr std::size_t at_name_bytes = 6;
constexpr std::size_t at_reserved = 7;
constexpr std::size_t at_bytes = 8;
constexpr std::size_t at_name = 16;
constexpr std::size_t checksum_bytes = 8;

constexpr char whole_type = 'u';
constexpr char real_type = 'r';
constexpr char bytes_type = 'b';
constexpr char list_type = 'l';
constexpr char filter_type = 'f';

constexpr unsigned group_bits = 7;
constexpr std::uint64_t more = std::uint64_t{1} << group_bits;

[[noreturn]] void corrupt(const std::string& what) {
  fail(errc::corrupt, what);
}

bool is_marked(byte_view bytes) {
  return bytes.size() >= at_name &&
         std::ranges::equal(bytes.first(mark.size()), std::as_bytes(std::span(mark)));
}

bool is_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-/";
  return !name.empty() && name.size() <= max_message_name &&
         name.find_first_not_of(allowed) == std::string_view::npos;
}

void require_length(const field_info& field, std::uint64_t length, std::string_view unit) {
  if (field.low <= field_value{length} && field_value{length} <= field.high) return;
  fail(errc::invalid, std::string(field.name) + " has " + std::to_string(length) + " " +
                          std::string(unit) + "; allowed: " + format_range(field));
}

}  // namespace

double share_of_ones(std::span<const byte_view> payload) {
  std::uint64_t ones = 0;
  std::uint64_t bits = 0;
  for (const byte_view part : payload) {
    for (const std::byte byte : part) {
      ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(byte)));
    }
    bits += 8 * part.size();
  }
  return bits == 0 ? 0 : static_cast<double>(ones) / static_cast<double>(bits);
}

void require_at_most(std::string_view what, double value, double most) {
  if (value <= most) return;
  fail(errc::limit, "the received filter's " + std::string(what) + " is " + format_real(value) +
                        "; this party takes up to " + format_real(most));
}

std::uint64_t stated_message_bytes(byte_view start) {
  return is_marked(start) ? core::load_le<std::uint64_t>(start.data() + at_bytes) : 0;
}

std::string_view message_name(byte_view bytes, const message_limits& limits) {
  if (bytes.size() > limits.max_bytes) {
    fail(errc::limit, "a message of " + format_size(bytes.size()) + " is over the limit of " +
                          format_size(limits.max_bytes));
  }
  if (!is_marked(bytes))
    corrupt("this is not a Bloomery message (the first bytes are not its mark)");
  const auto version = std::to_integer<unsigned>(bytes[at_version]);
  if (version != message_version) {
    fail(errc::unsupported, "message version " + std::to_string(version) +
                                " is not known; this program reads version " +
                                std::to_string(message_version));
  }
  const std::uint64_t stated = stated_message_bytes(bytes);
  if (stated != bytes.size()) {
    corrupt("a message should be " + std::to_string(stated) + " bytes, there are " +
            std::to_string(bytes.size()));
  }
  const auto name_bytes = std::to_integer<std::size_t>(bytes[at_name_bytes]);
  if (bytes.size() < at_name + name_bytes + checksum_bytes) corrupt("a message ends in its name");
  const byte_view checked = bytes.first(bytes.size() - checksum_bytes);
  if (core::load_le<std::uint64_t>(bytes.data() + checked.size()) != checksum(checked)) {
    corrupt("a message is damaged (its checksum does not match)");
  }
  const std::string_view name = text_of(bytes.subspan(at_name, name_bytes));
  if (!is_name(name) || bytes[at_reserved] != std::byte{}) corrupt("a message's name is malformed");
  return name;
}

namespace detail {

void message_writer::raw(byte_view bytes) {
  if (!place_.empty()) std::ranges::copy(bytes, place_.data() + at_);
  at_ += bytes.size();
}

void message_writer::type(char sort) {
  raw(std::array{static_cast<std::byte>(sort)});
}

// Seven bits a byte from the lowest on; all but the last have the eighth set.
void message_writer::number(std::uint64_t value) {
  for (; value >= more; value >>= group_bits) {
    raw(std::array{static_cast<std::byte>(value | more)});
  }
  raw(std::array{static_cast<std::byte>(value)});
}

void message_writer::sized(byte_view bytes) {
  number(bytes.size());
  raw(bytes);
}

void message_writer::begin(std::string_view name, std::size_t fields) {
  assert(is_name(name) && fields <= max_message_fields);
  std::array<std::byte, at_name> head{};
  std::ranges::copy(std::as_bytes(std::span(mark)), head.begin());
  head[at_version] = std::byte{message_version};
  head[at_fields] = static_cast<std::byte>(fields);
  head[at_name_bytes] = static_cast<std::byte>(name.size());
  core::store_le<std::uint64_t>(head.data() + at_bytes, place_.size());
  raw(head);
  raw(bytes_of(name));
}

void message_writer::put(std::uint64_t value, const field_info& field) {
  require_in_range(field, value);
  type(whole_type);
  number(value);
}

void message_writer::put(double value, const field_info& field) {
  require_in_range(field, value);
  type(real_type);
  std::array<std::byte, sizeof(std::uint64_t)> stored{};
  core::store_le(stored.data(), std::bit_cast<std::uint64_t>(value));
  raw(stored);
}

void message_writer::put(byte_view value, const field_info& field) {
  require_length(field, value.size(), "bytes");
  type(bytes_type);
  sized(value);
}

void message_writer::put(const carried_filter& value, const field_info& field) {
  require_length(field, value.bytes().size(), "bytes");
  type(filter_type);
  sized(value.bytes());
}

void message_writer::put(std::span<const byte_view> values, const field_info& field,
                         const field_info& each) {
  require_length(field, values.size(), "parts");
  type(list_type);
  number(values.size());
  for (const byte_view value : values) {
    require_length(each, value.size(), "bytes in a part");
    sized(value);
  }
}

std::size_t message_writer::end() {
  std::array<std::byte, checksum_bytes> stored{};
  if (!place_.empty()) core::store_le(stored.data(), checksum(place_.first(at_)));
  raw(stored);
  assert(place_.empty() || at_ == place_.size());
  return at_;
}

message_reader::message_reader(byte_view bytes, std::string_view name, std::size_t fields,
                               const message_limits& limits) {
  const std::string_view found = message_name(bytes, limits);
  if (found != name) {
    fail(errc::incompatible,
         "this is the message " + std::string(found) + ", not " + std::string(name));
  }
  const auto stated = std::to_integer<std::size_t>(bytes[at_fields]);
  if (stated != fields) {
    corrupt("the message " + std::string(name) + " has " + std::to_string(fields) +
            " fields, this has " + std::to_string(stated));
  }
  rest_ = bytes.first(bytes.size() - checksum_bytes).subspan(at_name + name.size());
}

byte_view message_reader::take(std::uint64_t count) {
  if (count > rest_.size()) corrupt("a message ends inside a field");
  const byte_view taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

void message_reader::type(const field_info& field, char sort) {
  const auto found = std::to_integer<char>(take(1)[0]);
  if (found == sort) return;
  corrupt("the field " + std::string(field.name) + " of a message should be of type '" + sort +
          "', and is of type " + std::to_string(static_cast<unsigned char>(found)));
}

std::uint64_t message_reader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += group_bits) {
    const auto group = std::to_integer<std::uint64_t>(take(1)[0]);
    const std::uint64_t bits = group & (more - 1);
    if (bits << shift >> shift != bits || (group == 0 && shift != 0)) break;
    value |= bits << shift;
    if (group < more) return value;
  }
  corrupt("a number of a message is beyond 64 bits, or longer than it need be");
}

byte_view message_reader::sized(const field_info& field) {
  const std::uint64_t length = number();
  require_length(field, length, "bytes");
  return take(length);
}

void message_reader::get(std::uint64_t& value, const field_info& field) {
  type(field, whole_type);
  value = number();
  require_in_range(field, value);
}

void message_reader::get(double& value, const field_info& field) {
  type(field, real_type);
  value = std::bit_cast<double>(core::load_le<std::uint64_t>(take(sizeof(std::uint64_t)).data()));
  require_in_range(field, value);
}

void message_reader::get(byte_view& value, const field_info& field) {
  type(field, bytes_type);
  value = sized(field);
}

void message_reader::get(carried_filter& value, const field_info& field) {
  type(field, filter_type);
  value = carried_filter(sized(field));
}

void message_reader::get(std::vector<byte_view>& values, const field_info& field,
                         const field_info& each) {
  type(field, list_type);
  const std::uint64_t count = number();
  require_length(field, count, "parts");
  if (count > rest_.size()) corrupt("a message ends inside a field");  // before room is made
  values.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(sized(each));
}

void message_reader::end() const {
  if (rest_.empty()) return;
  corrupt(std::to_string(rest_.size()) + " bytes follow the last field of a message");
}

}  // namespace detail
}  // namespace bloomery::wire
