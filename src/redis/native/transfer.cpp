// Filters from and to elsewhere, in pieces.
#include "bloomery/core/error.hpp"
#include "redis/native/commands.hpp"
#include "redis/native/items.hpp"

namespace bloomery::redis::native {
namespace {

std::uint64_t position_in(const call& asked) {
  const auto position = asked.integer(2);
  if (!position || *position < 0) throw refused("ERR the position is a number of bytes, from 0");
  return static_cast<std::uint64_t>(*position);
}

void remove_key(call& asked) {
  auto* const key = static_cast<RedisModuleKey*>(
      RedisModule_OpenKey(asked.context(), asked.raw(1), REDISMODULE_READ | REDISMODULE_WRITE));
  RedisModule_DeleteKey(key);
  RedisModule_CloseKey(key);
}

}  // namespace

// The position of the next piece, 0 after the last, and the piece.
void dump(call& asked) {
  const any_filter& filter = asked.get<bloom_value>(no_filter).filter();
  const std::uint64_t position = position_in(asked);
  const stored_bytes all(filter, position);
  if (position >= all.size()) throw refused("ERR the position is behind the filter's end");
  const std::vector<std::byte> piece = all.piece(position);
  const std::uint64_t next = position + piece.size();
  RedisModule_ReplyWithArray(asked.context(), 2);
  RedisModule_ReplyWithLongLong(asked.context(),
                                next == all.size() ? 0 : static_cast<long long>(next));
  RedisModule_ReplyWithStringBuffer(asked.context(), reinterpret_cast<const char*>(piece.data()),
                                    piece.size());
}

// What has arrived is kept while more may come, and let go of when it proves to be none.
void load(call& asked) {
  const std::uint64_t position = position_in(asked);
  auto* const held = asked.find_to_change<bloom_value>();
  if (held == nullptr) {
    if (position != 0) throw refused(no_filter);
    bloom_value first;
    first.take(0, asked.bytes(3), asked.allowance());
    asked.keep(std::move(first));
    asked.changed("bloom.load");
  } else {
    const bool was_whole = held->whole();
    try {
      held->take(position, asked.bytes(3), asked.allowance());
      asked.changed("bloom.load");
    } catch (const error& problem) {
      if (!was_whole && problem.code() != errc::invalid) {
        remove_key(asked);
        asked.changed("del", 1, {});  // a limit may have refused it, which others do not have
      }
      throw;
    }
  }
  RedisModule_ReplyWithSimpleString(asked.context(), "OK");
}

}  // namespace bloomery::redis::native
