#include "redis/type.hpp"

#include <array>
#include <string>
#include <string_view>

#include "redis/huge_pages.hpp"

namespace bloomery::redis {
namespace {

// The check sum of dumps: CRC-64 of Jones, reflected, starting from 0.
std::uint64_t crc_64(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint64_t, 256> made{};
    for (std::uint64_t i = 0; i < made.size(); ++i) {
      std::uint64_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1) * 0x95ac9329ac4bc9b5;
      made[i] = rest;
    }
    return made;
  }();
  std::uint64_t sum = 0;
  for (const char c : bytes) sum = table[(sum ^ static_cast<unsigned char>(c)) & 0xff] ^ sum >> 8;
  return sum;
}

// A type in a dump: its nine letters of six bits each, and the encoding.
std::uint64_t id_of(std::string_view name, int encoding) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t id = 0;
  for (const char c : name) id = id << 6 | letters.find(c);
  return id << 10 | static_cast<std::uint64_t>(encoding);
}

}  // namespace

void rewriting::whole(RedisModuleType* type, const char* name, int encoding, void* value) {
  constexpr char module_value = 7;     // the second form of values of modules
  constexpr char id_follows = '\x81';  // in 64 bits, most significant first
  constexpr char end = 0;
  constexpr std::uint16_t version = 9;  // of dumps: old enough for any server that has this module
  RedisModuleString* const fields = RedisModule_SaveDataTypeToString(nullptr, value, type);
  if (fields == nullptr) fail(errc::out_of_memory, "there is no memory for a dump");
  std::size_t size = 0;
  const char* const bytes = RedisModule_StringPtrLen(fields, &size);
  std::string dump{module_value, id_follows};
  const std::uint64_t id = id_of(name, encoding);
  for (int shift = 56; shift >= 0; shift -= 8) dump += static_cast<char>(id >> shift & 0xff);
  dump.append(bytes, size);
  RedisModule_FreeString(nullptr, fields);
  dump += end;
  dump += static_cast<char>(version & 0xff);
  dump += static_cast<char>(version >> 8);
  const std::uint64_t sum = crc_64(dump);
  for (int shift = 0; shift < 64; shift += 8) dump += static_cast<char>(sum >> shift & 0xff);
  RedisModule_EmitAOF(to_, "RESTORE", "scb", key_, "0", dump.data(), dump.size());
}

void reading::require_sound() const {
  if (RedisModule_IsIOError(from_) != 0) fail(errc::corrupt, "its bytes end early");
}

std::uint64_t reading::number() {
  const std::uint64_t value = RedisModule_LoadUnsigned(from_);
  require_sound();
  return value;
}

std::uint64_t reading::number(std::uint64_t most, const char* what) {
  const std::uint64_t value = number();
  if (value > most) {
    fail(errc::corrupt, std::string(what) + " is " + std::to_string(value) + ", at most " +
                            std::to_string(most) + " can be");
  }
  return value;
}

double reading::real() {
  const double value = RedisModule_LoadDouble(from_);
  require_sound();
  return value;
}

block reading::bytes() {
  std::size_t size = 0;
  char* const bytes = RedisModule_LoadStringBuffer(from_, &size);
  block result = block::adopt(bytes, bytes == nullptr ? 0 : size);
  require_sound();
  huge_pages::move_to(bytes, size);
  return result;
}

void log_refused(RedisModuleIO* io, const char* type, const char* why) noexcept {
  RedisModule_LogIOError(io, "warning", "a value of type %s is refused: %s", type, why);
}

void log_handled(RedisModuleIO* io, const char* type) noexcept {
  try {
    throw;
  } catch (const std::exception& thrown) {
    log_refused(io, type, thrown.what());
  } catch (...) {
    log_refused(io, type, "an unknown error");
  }
}

}  // namespace bloomery::redis
