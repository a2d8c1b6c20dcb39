// Replies, in the shapes that clients expect of either version of the protocol: the server makes integers of
// truth values and arrays of maps for those who speak RESP2.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redis/call.hpp"

namespace bloomery::redis::reply {

inline void ok(const call& to) {
  RedisModule_ReplyWithSimpleString(to.context(), "OK");
}
inline void boolean(const call& to, bool value) {
  RedisModule_ReplyWithBool(to.context(), value);
}
inline void nothing(const call& to) {
  RedisModule_ReplyWithNull(to.context());
}
inline void real(const call& to, double value) {
  RedisModule_ReplyWithDouble(to.context(), value);
}
inline void array(const call& to, std::size_t size) {
  RedisModule_ReplyWithArray(to.context(), static_cast<long>(size));
}
inline void integer(const call& to, long long value) {
  RedisModule_ReplyWithLongLong(to.context(), value);
}
// Beyond what an integer of the protocol holds, its greatest.
inline void number(const call& to, std::uint64_t value) {
  integer(to, value > INT64_MAX ? INT64_MAX : static_cast<long long>(value));
}
inline void text(const call& to, std::string_view value) {
  RedisModule_ReplyWithStringBuffer(to.context(), value.data(), value.size());
}
inline void failure(const call& to, const std::string& value) {
  RedisModule_ReplyWithError(to.context(), value.c_str());
}

// A number that is told under a name; null if there is none.
struct row {
  const char* name;
  std::string_view word;  // by which a client asks for it alone
  std::optional<std::uint64_t> value;
};
void rows(const call& to, std::span<const row> told);
// The one that argument `at` asks for.
void one_row(const call& to, std::span<const row> told, int at);

// A step of a dump: where the next begins, and the bytes of this one.
inline void step(const call& to, long long next, std::string_view bytes) {
  array(to, 2);
  integer(to, next);
  text(to, bytes);
}
inline void step(const call& to, long long next, byte_view bytes) {
  step(to, next, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace bloomery::redis::reply
