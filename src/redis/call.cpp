#include "redis/call.hpp"

#include <algorithm>
#include <utility>

#include "bloomery/core/error.hpp"

namespace bloomery::redis {
namespace {

// An error is one line.
void reply_with_line(RedisModuleCtx* context, std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  RedisModule_ReplyWithError(context, text.c_str());
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A key while it is open.
class opened {
 public:
  opened(RedisModuleCtx* context, RedisModuleString* name, int mode)
      : key_(static_cast<RedisModuleKey*>(RedisModule_OpenKey(context, name, mode))) {}
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  ~opened() {
    if (key_ != nullptr) RedisModule_CloseKey(key_);
  }
  [[nodiscard]] RedisModuleKey* get() const { return key_; }

 private:
  RedisModuleKey* key_;
};

}  // namespace

std::string_view text_of(const RedisModuleString* string) {
  std::size_t size = 0;
  const char* const text = RedisModule_StringPtrLen(string, &size);
  return {text, size};
}

byte_view bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::optional<long long> integer_in(const RedisModuleString* string) {
  long long value = 0;
  if (RedisModule_StringToLongLong(string, &value) != REDISMODULE_OK) return std::nullopt;
  return value;
}

std::optional<double> real_in(const RedisModuleString* string) {
  double value = 0;
  if (RedisModule_StringToDouble(string, &value) != REDISMODULE_OK) return std::nullopt;
  return value;
}

bool call::says(int i, std::string_view word) const {
  const std::string_view told = text(i);
  return std::equal(told.begin(), told.end(), word.begin(), word.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

call::~call() {
  if (event_ == nullptr) return;
  if (instead_.empty()) {
    RedisModule_ReplicateVerbatim(context_);
  } else {
    RedisModule_Replicate(context_, command_, "v", instead_.data(), instead_.size());
    for (RedisModuleString* const each : own_) RedisModule_FreeString(context_, each);
  }
  RedisModule_NotifyKeyspaceEvent(context_, REDISMODULE_NOTIFY_MODULE, event_, arguments_[1]);
}

void call::changed(const char* event, int head, std::vector<RedisModuleString*> items) {
  items.insert(items.begin(), arguments_ + 1, arguments_ + 1 + head);
  instead_ = std::move(items);
  command_ = event;
  event_ = event;
}

void call::changed(const char* event, const char* command, const std::vector<std::string>& words,
                   std::span<RedisModuleString* const> items) {
  instead_.reserve(1 + words.size() + items.size());
  own_.reserve(words.size());
  instead_.push_back(arguments_[1]);
  for (const std::string& word : words) {
    own_.push_back(RedisModule_CreateString(context_, word.data(), word.size()));
    instead_.push_back(own_.back());
  }
  instead_.insert(instead_.end(), items.begin(), items.end());
  command_ = command;
  event_ = event;
}

void* call::value(int at, RedisModuleType* type, int mode, bool strictly) {
  const opened key(context_, raw(at), mode);
  if (key.get() == nullptr) return nullptr;
  if (RedisModule_ModuleTypeGetType(key.get()) == type) {
    return RedisModule_ModuleTypeGetValue(key.get());
  }
  if (RedisModule_KeyType(key.get()) == REDISMODULE_KEYTYPE_EMPTY) return nullptr;
  if (strictly) throw refused(REDISMODULE_ERRORMSG_WRONGTYPE);
  return nullptr;
}

bool call::exists(int at) const {
  const opened key(context_, raw(at), REDISMODULE_READ);
  return key.get() != nullptr && RedisModule_KeyType(key.get()) != REDISMODULE_KEYTYPE_EMPTY;
}

void call::put(int at, RedisModuleType* type, void* value) {
  const opened key(context_, raw(at), REDISMODULE_READ | REDISMODULE_WRITE);
  RedisModule_ModuleTypeSetValue(key.get(), type, value);
}

bool call::was_accepted() const {
  constexpr int others = REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING;
  return (RedisModule_GetContextFlags(context_) & others) != 0;
}

budget call::allowance() const {
  const std::uint64_t most = memory_of_machine();
  if (was_accepted()) return {most};
  return {std::min(most, static_cast<std::uint64_t>(configured.max_object_size))};
}

bool call::resp3() const {
  return (RedisModule_GetContextFlags(context_) & REDISMODULE_CTX_FLAGS_RESP3) != 0;
}

void reply_with_error(RedisModuleCtx* context) noexcept {
  try {
    throw;
  } catch (const wrong_arity&) {
    RedisModule_WrongArity(context);
  } catch (const refused& thrown) {
    reply_with_line(context, thrown.what());
  } catch (const error& thrown) {
    reply_with_line(context, std::string("ERR ") + thrown.what());
  } catch (const std::bad_alloc&) {
    RedisModule_ReplyWithError(context, "ERR Insufficient memory");
  } catch (const std::exception& thrown) {
    reply_with_line(context, std::string("ERR ") + thrown.what());
  } catch (...) {
    RedisModule_ReplyWithError(context, "ERR an unknown error");
  }
}

}  // namespace bloomery::redis
