#include "bloomery/wire/foreign/squid_digest.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/md5.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::foreign {
namespace {

constexpr std::byte squid_get{1};  // Squid's number for the method
constexpr std::uint16_t oldest_squid = 3;
constexpr std::uint16_t latest_squid = 5;
constexpr std::size_t squid_fields = 22;  // bytes; what follows is reserved
constexpr std::uint64_t most_squid = std::numeric_limits<std::int32_t>::max();

std::uint64_t big_endian(byte_view bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

std::uint32_t squid_number(byte_view file, std::size_t at, std::string_view what) {
  const std::uint64_t value = big_endian(file.subspan(at, 4));
  if (value > most_squid) {
    fail(errc::corrupt, "the digest's " + std::string(what) + " is negative");
  }
  return static_cast<std::uint32_t>(value);
}

void put_big_endian(std::byte* to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to[i] = static_cast<std::byte>(value >> 8 * (bytes - 1 - i) & 0xff);
  }
}

}  // namespace

std::array<std::uint32_t, squid_digest::chunks> squid_digest::chunks_of(std::string_view url) {
  const auto digest =
      hash::md5().add(byte_view(&squid_get, 1)).add(std::as_bytes(std::span(url))).end();
  std::array<std::uint32_t, chunks> result{};
  for (std::size_t i = 0; i < chunks; ++i) {
    result[i] = static_cast<std::uint32_t>(big_endian(byte_view(digest).subspan(4 * i, 4)));
  }
  return result;
}

// By what no other format has: a version that there was, and a hundred zeros.
bool squid_digest::recognises(byte_view start, std::uint64_t length) {
  if (length < head_bytes || start.size() < head_bytes) return false;
  const std::uint64_t version = big_endian(start.first(2));
  const std::uint64_t required = big_endian(start.subspan(2, 2));
  const byte_view reserved = start.subspan(squid_fields, head_bytes - squid_fields);
  return version >= 1 && version <= 255 && required >= 1 && required <= 255 &&
         std::ranges::all_of(reserved, [](std::byte byte) { return byte == std::byte{0}; });
}

found_bits<squid_digest> squid_digest::read(byte_view file) {
  if (file.size() < head_bytes) fail(errc::corrupt, "a cache digest has 128 bytes before its bits");
  squid_digest made;
  made.version = static_cast<std::uint16_t>(big_endian(file.first(2)));
  made.required_version = static_cast<std::uint16_t>(big_endian(file.subspan(2, 2)));
  if (made.required_version > latest_squid || made.version < oldest_squid) {
    fail(errc::unsupported, "the digest is of version " + std::to_string(made.version) +
                                " and asks for " + std::to_string(made.required_version) +
                                "; versions 3 to 5 are known");
  }
  made.capacity = squid_number(file, 4, "capacity");
  made.count = squid_number(file, 8, "count");
  made.deleted = squid_number(file, 12, "count of deletions");
  const std::uint64_t stated = squid_number(file, 16, "mask size");
  made.bits_per_entry = std::to_integer<std::uint8_t>(file[20]);
  const auto hashes = std::to_integer<unsigned>(file[21]);
  if (hashes != chunks) {
    fail(errc::unsupported,
         "the digest has " + std::to_string(hashes) + " hashes; Squid knows 4 only");
  }
  if (made.capacity == 0 || made.bits_per_entry == 0 || stated != made.bytes()) {
    fail(errc::corrupt, "the digest's mask has " + std::to_string(stated) + " bytes, but " +
                            std::to_string(made.capacity) + " entries of " +
                            std::to_string(made.bits_per_entry) + " bits take " +
                            std::to_string(made.bytes()));
  }
  const byte_view reserved = file.subspan(squid_fields, head_bytes - squid_fields);
  if (std::ranges::any_of(reserved, [](std::byte byte) { return byte != std::byte{0}; })) {
    fail(errc::corrupt, "reserved bytes of the digest are not zero");
  }
  if (file.size() - head_bytes != stated) {
    fail(errc::corrupt, "the digest states a mask of " + std::to_string(stated) +
                            " bytes and has " + std::to_string(file.size() - head_bytes));
  }
  return {made, file.subspan(head_bytes)};
}

squid_digest squid_digest::plan(std::uint64_t keys, std::optional<double> rate) {
  squid_digest made;
  const std::uint64_t entries = std::max<std::uint64_t>(1, keys);
  if (entries > most_squid / std::numeric_limits<std::uint8_t>::max()) {
    fail(errc::limit, std::to_string(keys) + " keys are too many for a cache digest");
  }
  made.capacity = static_cast<std::uint32_t>(entries);
  if (!rate) return made;
  math::require_plannable(entries, *rate);
  for (unsigned bits = 1; bits <= std::numeric_limits<std::uint8_t>::max(); ++bits) {
    made.bits_per_entry = static_cast<std::uint8_t>(bits);
    if (math::exact_rate(made.bits(), entries, chunks) <= *rate) return made;
  }
  math::refuse_rate(*rate);
}

double squid_digest::current_rate(const filter& of, byte_view /*bits*/) {
  return math::instance_rate(of.fill(), chunks);
}

std::vector<fact> squid_digest::facts() const {
  return {{"version", std::uint64_t{version}},
          {"capacity", std::uint64_t{capacity}},
          {"keys", std::uint64_t{count}},
          {"deleted", std::uint64_t{deleted}},
          {"bits_per_entry", std::uint64_t{bits_per_entry}}};
}

std::vector<std::byte> squid_digest::head() const {
  std::vector<std::byte> head(head_bytes);
  put_big_endian(head.data(), version, 2);
  put_big_endian(&head[2], required_version, 2);
  put_big_endian(&head[4], capacity, 4);
  put_big_endian(&head[8], count, 4);
  put_big_endian(&head[12], deleted, 4);
  put_big_endian(&head[16], bytes(), 4);
  head[20] = std::byte{bits_per_entry};
  head[21] = std::byte{chunks};
  return head;
}

}  // namespace bloomery::foreign
