#include "redis/compression.hpp"

#include <bit>
#include <string_view>

#include "bloomery/math/laws/compression.hpp"

namespace bloomery::redis {
namespace {

constexpr std::size_t least_bytes = std::size_t{1} << 20;  // for which a millisecond is saved
constexpr double least_entropy = 7. / 8;

RedisModuleCtx* own =
    nullptr;  // that of a value being saved has no client, which RedisModule_Call needs

struct reply {
  RedisModuleCallReply* held;
  explicit reply(RedisModuleCallReply* made) : held(made) {}
  reply(const reply&) = delete;
  reply& operator=(const reply&) = delete;
  ~reply() {
    if (held != nullptr) RedisModule_FreeCallReply(held);
  }
};

bool is_on() {
  const reply told(RedisModule_Call(own, "CONFIG", "cc", "GET", "rdbcompression"));
  if (told.held == nullptr || RedisModule_CallReplyType(told.held) != REDISMODULE_REPLY_ARRAY ||
      RedisModule_CallReplyLength(told.held) != 2) {
    return false;
  }
  std::size_t size = 0;
  const char* const value =
      RedisModule_CallReplyStringPtr(RedisModule_CallReplyArrayElement(told.held, 1), &size);
  return value != nullptr && std::string_view(value, size) == "yes";
}

void set(const char* value) {
  const reply told(RedisModule_Call(own, "CONFIG", "ccc", "SET", "rdbcompression", value));
}

}  // namespace

void know_compression(RedisModuleCtx* context) {
  own = RedisModule_GetDetachedThreadSafeContext(context);
}

bool hardly_compress(byte_view bytes) {
  constexpr std::size_t sample = 4096;
  if (bytes.size() < least_bytes) return false;
  const std::size_t step = bytes.size() / sample;
  std::uint64_t ones = 0;
  for (std::size_t i = 0; i < sample; ++i) {
    ones += static_cast<std::uint64_t>(
        std::popcount(core::load_le<std::uint64_t>(bytes.data() + i * step)));
  }
  return math::entropy(static_cast<double>(ones) / (64. * sample)) >= least_entropy;
}

without_compression::without_compression(bool wanted)
    : was_on_(wanted && own != nullptr && is_on()) {
  if (was_on_) set("no");
}

without_compression::~without_compression() {
  if (was_on_) set("yes");
}

}  // namespace bloomery::redis
