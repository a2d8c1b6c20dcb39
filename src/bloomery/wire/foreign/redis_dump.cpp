#include "bloomery/wire/foreign/redis_dump.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::foreign {
namespace {

constexpr std::byte module_value{
    7};  // of the types that an RDB file knows, that of a module's value
constexpr std::size_t footer_bytes = 2 + 8;
constexpr std::string_view type_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t type_length = 9;
constexpr unsigned version_bits = 10;
constexpr unsigned character_bits = 6;

// What comes before each field, and after the last.
enum class opcode : std::uint64_t { end, signed_whole, whole, single_real, real, string };

// How a string is stored that is not stored as it is.
enum class coding : unsigned { one_byte, two_bytes, four_bytes, compressed };

constexpr std::array<std::uint64_t, 256> crc_table = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    std::uint64_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1) != 0 ? crc >> 1 ^ 0x95ac9329ac4bc9b5 : crc >> 1;
    }
    table[i] = crc;
  }
  return table;
}();

[[noreturn]] void damaged(const std::string& why) {
  fail(errc::corrupt, "the value dumped by Redis is damaged: " + why);
}

template <std::unsigned_integral T>
T load_be(byte_view from) {
  T value = 0;
  for (const std::byte each : from.first(sizeof value)) {
    value = static_cast<T>(value << 8 | std::to_integer<T>(each));
  }
  return value;
}

// LZF: runs of bytes as they are, and copies of up to 264 bytes from up to 8,192 before.
redis_bytes expanded(byte_view from, std::uint64_t length) {
  redis_bytes made;
  made.reserve(length);
  std::size_t at = 0;
  const auto next = [&] {
    if (at == from.size()) damaged("a compressed string ends too soon");
    return std::to_integer<std::size_t>(from[at++]);
  };
  while (at < from.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t run = control + 1;
      if (from.size() - at < run || length - made.size() < run)
        damaged("a compressed string has a run beyond its end");
      made.insert(made.end(), from.begin() + static_cast<std::ptrdiff_t>(at),
                  from.begin() + static_cast<std::ptrdiff_t>(at + run));
      at += run;
      continue;
    }
    std::size_t run = control >> 5;
    if (run == 7) run += next();
    run += 2;
    const std::size_t back = (control & 31) << 8 | next();
    if (back >= made.size() || length - made.size() < run)
      damaged("a compressed string copies what is not there");
    for (std::size_t i = 0; i < run; ++i) made.push_back(made[made.size() - back - 1]);
  }
  if (made.size() != length) damaged("a compressed string has another length than stated");
  return made;
}

constexpr std::uint64_t most_expansion = 264 / 2;  // of LZF: three bytes, or two, for so many

class reader {
 public:
  reader(byte_view rest, std::uint64_t most) : rest_(rest), most_(most) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  byte_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) damaged("it ends too soon");
    const byte_view taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  // A number in as few bytes as Redis takes for it; `coded` is set where a string's coding stands instead.
  std::uint64_t length(bool* coded = nullptr) {
    const auto first = std::to_integer<unsigned>(take(1).front());
    switch (first >> 6) {
      case 0:
        return first & 63;
      case 1:
        return (first & 63) << 8 | std::to_integer<unsigned>(take(1).front());
      case 2:
        if (first == 0x80) return load_be<std::uint32_t>(take(4));
        if (first == 0x81) return load_be<std::uint64_t>(take(8));
        damaged("a length has an unknown form");
      default:
        if (coded == nullptr) damaged("a coding stands where a number should");
        *coded = true;
        return first & 63;
    }
  }

  redis_bytes string() {
    bool coded = false;
    const std::uint64_t size = length(&coded);
    if (!coded) {
      const byte_view text = take(size);
      require_room(size);
      return {text.begin(), text.end()};
    }
    switch (static_cast<coding>(size)) {
      case coding::one_byte:
        return decimal(std::bit_cast<std::int8_t>(take(1).front()));
      case coding::two_bytes:
        return decimal(static_cast<std::int16_t>(core::load_le<std::uint16_t>(take(2).data())));
      case coding::four_bytes:
        return decimal(static_cast<std::int32_t>(core::load_le<std::uint32_t>(take(4).data())));
      case coding::compressed: {
        const std::uint64_t stored = length();
        const std::uint64_t whole = length();
        const byte_view from = take(stored);
        if (whole / most_expansion > stored) damaged("a compressed string claims too much");
        require_room(whole);
        return expanded(from, whole);
      }
    }
    damaged("a string has an unknown coding");
  }

 private:
  static redis_bytes decimal(std::int64_t number) {
    const std::string digits = std::to_string(number);
    const byte_view text = bytes_of(digits);
    return {text.begin(), text.end()};
  }

  void require_room(std::uint64_t bytes) {
    if (bytes > most_ - taken_) {
      fail(errc::limit, "the value dumped by Redis has more than " + format_size(most_) +
                            ", which is the limit");
    }
    taken_ += bytes;
  }

  byte_view rest_;
  std::uint64_t most_;
  std::uint64_t taken_ = 0;
};

redis_field read_field(opcode code, reader& from) {
  switch (code) {
    case opcode::signed_whole:
      return std::bit_cast<std::int64_t>(from.length());
    case opcode::whole:
      return from.length();
    case opcode::single_real:
      return std::bit_cast<float>(core::load_le<std::uint32_t>(from.take(4).data()));
    case opcode::real:
      return std::bit_cast<double>(core::load_le<std::uint64_t>(from.take(8).data()));
    case opcode::string:
      return from.string();
    case opcode::end:
      break;
  }
  damaged("a field has an unknown form");
}

// Type byte and fields, without the footer, whose CRC holds.
byte_view opened(byte_view payload) {
  if (payload.size() < footer_bytes + 1) damaged("it is too short");
  const byte_view counted = payload.first(payload.size() - 8);
  if (core::load_le<std::uint64_t>(counted.data() + counted.size()) != redis_crc64(counted)) {
    damaged("its CRC-64 is another");
  }
  return counted.first(counted.size() - 2);
}

void sign(std::vector<std::byte>& payload, std::uint16_t version) {
  const std::size_t size = payload.size();
  payload.resize(size + footer_bytes);
  core::store_le<std::uint16_t>(payload.data() + size, version);
  core::store_le<std::uint64_t>(payload.data() + size + 2,
                                redis_crc64(byte_view(payload).first(size + 2)));
}

class writer {
 public:
  void byte(unsigned value) { made_.push_back(static_cast<std::byte>(value)); }
  void length(std::uint64_t value) {
    if (value < 64) return byte(static_cast<unsigned>(value));
    if (value < 1 << 14) {
      byte(0x40 | static_cast<unsigned>(value >> 8));
      return byte(static_cast<unsigned>(value & 0xff));
    }
    const unsigned size = value >> 32 == 0 ? 4 : 8;
    byte(size == 4 ? 0x80 : 0x81);
    for (unsigned i = size; i-- > 0;) byte(value >> 8 * i & 0xff);
  }
  void code(opcode value) { length(static_cast<std::uint64_t>(value)); }
  template <std::unsigned_integral T>
  void little(T value) {
    made_.resize(made_.size() + sizeof value);
    core::store_le(made_.data() + made_.size() - sizeof value, value);
  }

  void operator()(std::uint64_t value) {
    code(opcode::whole);
    length(value);
  }
  void operator()(std::int64_t value) {
    code(opcode::signed_whole);
    length(std::bit_cast<std::uint64_t>(value));
  }
  void operator()(float value) {
    code(opcode::single_real);
    little(std::bit_cast<std::uint32_t>(value));
  }
  void operator()(double value) {
    code(opcode::real);
    little(std::bit_cast<std::uint64_t>(value));
  }
  void operator()(const redis_bytes& value) {
    code(opcode::string);
    length(value.size());
    made_.insert(made_.end(), value.begin(), value.end());
  }

  std::vector<std::byte> finish(std::uint16_t version) && {
    code(opcode::end);
    sign(made_, version);
    return std::move(made_);
  }

 private:
  std::vector<std::byte> made_;
};

}  // namespace

std::uint64_t redis_crc64(byte_view bytes) {
  std::uint64_t crc = 0;
  for (const std::byte each : bytes) {
    crc = crc_table[(crc ^ std::to_integer<std::uint64_t>(each)) & 0xff] ^ crc >> 8;
  }
  return crc;
}

redis_dump read_redis_dump(byte_view payload, const wire::load_options& options) {
  const byte_view value = opened(payload);
  if (value.front() != module_value) {
    fail(errc::unsupported, "the value dumped by Redis is of one of its own types, and no filter");
  }
  reader from(value.subspan(1), options.most_copied());
  const std::uint64_t id = from.length();
  redis_dump read{.type = std::string(type_length, ' '),
                  .version = id & ((std::uint64_t{1} << version_bits) - 1),
                  .fields = {}};
  for (std::size_t i = 0; i < type_length; ++i) {
    const std::size_t shift = version_bits + character_bits * (type_length - 1 - i);
    read.type[i] = type_characters[id >> shift & 63];
  }
  for (;;) {
    const std::uint64_t code = from.length();
    if (code == static_cast<std::uint64_t>(opcode::end)) break;
    if (code > static_cast<std::uint64_t>(opcode::string)) damaged("a field has an unknown form");
    if (read.fields.size() == max_redis_fields) {
      fail(errc::limit, "the value dumped by Redis has more than " +
                            format_count(max_redis_fields) + " fields, which is the limit");
    }
    read.fields.push_back(read_field(static_cast<opcode>(code), from));
  }
  if (!from.empty()) damaged("something follows its end");
  return read;
}

std::uint16_t rdb_version(byte_view payload) {
  const byte_view value = opened(payload);
  return core::load_le<std::uint16_t>(value.data() + value.size());
}

std::vector<std::byte> dated_back(byte_view payload, std::uint16_t version) {
  const byte_view value = opened(payload);
  std::vector<std::byte> made(value.begin(), value.end());
  sign(made, std::min(version, rdb_version(payload)));
  return made;
}

std::vector<std::byte> save(const redis_dump& dump, std::uint16_t version) {
  std::uint64_t id = 0;
  for (const char each : dump.type) {
    const std::size_t character = type_characters.find(each);
    if (character == std::string_view::npos) break;
    id = id << character_bits | character;
  }
  if (dump.type.size() != type_length ||
      dump.type.find_first_not_of(type_characters) != std::string::npos ||
      dump.version >> version_bits != 0) {
    fail(errc::invalid, "no type of a module is called so: nine letters, digits, - or _");
  }
  writer to;
  to.byte(std::to_integer<unsigned>(module_value));
  to.length(id << version_bits | dump.version);
  for (const redis_field& field : dump.fields) std::visit(to, field);
  return std::move(to).finish(version);
}

}  // namespace bloomery::foreign
