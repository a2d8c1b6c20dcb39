#include "redis_host.hpp"

#include <malloc.h>

#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>

#include "fuzzing.hpp"

using bloomery::fuzzing::law;
using bloomery::fuzzing::redis_fields;
using bloomery::fuzzing::redis_host;
using bloomery::fuzzing::redis_type;
using bloomery::fuzzing::redis_words;

// The server's own types, which modules know only by name.
struct RedisModuleString {
  std::string text;
  int holders = 1;
};
struct RedisModuleCtx {
  int (*get_api)(const char*, void*);  // which has to be first
  redis_host* host = nullptr;
  const redis_words* words = nullptr;
  int replies = 0;
  std::vector<long> open = {};  // how much is missing of each reply that has parts
};
struct RedisModuleKey {
  redis_host* host;
  std::string name;
  bool writable;
};
struct RedisModuleType : redis_type {};
struct RedisModuleCommand {
  std::size_t index;
};
struct RedisModuleIO {
  redis_fields fields = {};
  std::size_t at = 0;
  bool failed = false;
  std::vector<redis_words> commands = {};
};
struct RedisModuleInfoCtx {};
struct RedisModuleDefragCtx {};

extern "C" int RedisModule_OnLoad(RedisModuleCtx*, RedisModuleString**, int);

namespace bloomery::fuzzing {
namespace {

constexpr std::size_t most_memory = 64 << 20;  // in one piece; a server refuses at some size, too
std::vector<redis_type*> types;
std::vector<redis_command> commands;
std::deque<RedisModuleCommand> command_handles;
std::uint64_t clock_ms = 1'700'000'000'000;

void element(RedisModuleCtx* context) {
  law(context->replies == 0, "a command replies once");
  while (!context->open.empty()) {
    if (--context->open.back() > 0) return;
    context->open.pop_back();
  }
  ++context->replies;
}

int replied(RedisModuleCtx* context) {
  element(context);
  return REDISMODULE_OK;
}

int opened(RedisModuleCtx* context, long parts) {
  law(parts >= 0, "a reply has no fewer than no parts");
  if (parts == 0) return replied(context);
  context->open.push_back(parts);
  return REDISMODULE_OK;
}

// s, c, l, b and v, as the server reads them.
redis_words words_of(const char* command, const char* form, va_list rest) {
  redis_words words{command};
  for (; *form != '\0'; ++form) {
    if (*form == 's') {
      words.push_back(va_arg(rest, RedisModuleString*)->text);
    } else if (*form == 'c') {
      words.emplace_back(va_arg(rest, const char*));
    } else if (*form == 'l') {
      words.push_back(std::to_string(va_arg(rest, long long)));
    } else if (*form == 'b') {
      const char* const text = va_arg(rest, const char*);
      words.emplace_back(text, va_arg(rest, std::size_t));
    } else if (*form == 'v') {
      RedisModuleString** const strings = va_arg(rest, RedisModuleString**);
      const std::size_t count = va_arg(rest, std::size_t);
      for (std::size_t i = 0; i < count; ++i) words.push_back(strings[i]->text);
    } else {
      law(false, "a form of words is known");
    }
  }
  return words;
}

// What takes any number of arguments is no lambda.
void log(RedisModuleCtx* /*context*/, const char* /*level*/, const char* /*form*/, ...) {}
void log_io(RedisModuleIO* /*io*/, const char* /*level*/, const char* /*form*/, ...) {}
void emit(RedisModuleIO* to, const char* command, const char* form, ...) {
  va_list rest;
  va_start(rest, form);
  to->commands.push_back(words_of(command, form, rest));
  va_end(rest);
}

template <class T>
T take_field(RedisModuleIO* from) {
  if (!from->failed && from->at < from->fields.size()) {
    if (T* const found = std::get_if<T>(&from->fields[from->at])) {
      ++from->at;
      return *found;
    }
  }
  from->failed = true;  // and nothing after it is read
  return {};
}

}  // namespace

struct redis_api {
  std::map<std::string, void*> offered;

  static redis_host::value* at(RedisModuleKey* key) {
    const auto found = key->host->keys_.find(key->name);
    return found == key->host->keys_.end() ? nullptr : &found->second;
  }

  static int replicate(RedisModuleCtx* context, const char* command, const char* form, ...) {
    va_list rest;
    va_start(rest, form);
    context->host->replicated_.push_back(words_of(command, form, rest));
    va_end(rest);
    return REDISMODULE_OK;
  }

  redis_api() {
#define OFFER(name, ...)          \
  offered["RedisModule_" #name] = \
      reinterpret_cast<void*>(static_cast<decltype(RedisModule_##name)>(__VA_ARGS__))
    OFFER(TryAlloc, [](std::size_t bytes) -> void* {
      return bytes > most_memory ? nullptr : std::malloc(bytes);
    });
    OFFER(Free, [](void* memory) { std::free(memory); });
    OFFER(MallocSize, [](void* memory) { return malloc_usable_size(memory); });
    OFFER(DefragAlloc, [](RedisModuleDefragCtx*, void* memory) {
      const std::size_t size = malloc_usable_size(memory);
      void* const moved = std::malloc(size);
      if (moved == nullptr) return static_cast<void*>(nullptr);
      std::memcpy(moved, memory, size);
      std::free(memory);
      return moved;
    });
    OFFER(SetModuleAttribs, [](RedisModuleCtx*, const char*, int, int) {});
    OFFER(SetModuleOptions, [](RedisModuleCtx*, int) {});
    OFFER(RegisterInfoFunc, [](RedisModuleCtx*, RedisModuleInfoFunc) { return REDISMODULE_OK; });
    OFFER(LoadConfigs, [](RedisModuleCtx*) { return REDISMODULE_OK; });
    OFFER(RegisterNumericConfig,
          [](RedisModuleCtx*, const char*, long long, unsigned, long long, long long,
             RedisModuleConfigGetNumericFunc, RedisModuleConfigSetNumericFunc set,
             RedisModuleConfigApplyFunc, void* data) {
            RedisModuleString* problem = nullptr;
            return set("max-object-size", 256 << 10, data, &problem);  // small, to be met often
          });
    OFFER(RegisterBoolConfig,
          [](RedisModuleCtx*, const char* name, int, unsigned, RedisModuleConfigGetBoolFunc,
             RedisModuleConfigSetBoolFunc set, RedisModuleConfigApplyFunc, void* data) {
            RedisModuleString* problem = nullptr;
            return set(name, 1, data, &problem);
          });
    // None: this server has no CONFIG that could be asked about compression.
    OFFER(GetDetachedThreadSafeContext, [](RedisModuleCtx*) -> RedisModuleCtx* { return nullptr; });
    OFFER(CreateDataType,
          [](RedisModuleCtx*, const char* name, int encoding, RedisModuleTypeMethods* methods) {
            auto* const made = new RedisModuleType{{name, encoding, *methods}};
            types.push_back(made);
            return made;
          });
    OFFER(CreateCommand, [](RedisModuleCtx*, const char* name, RedisModuleCmdFunc run, const char*,
                            int, int, int) {
      commands.push_back({name, run, 0, {}});
      return REDISMODULE_OK;
    });
    OFFER(GetCommand, [](RedisModuleCtx*, const char* name) -> RedisModuleCommand* {
      for (std::size_t i = 0; i < commands.size(); ++i) {
        if (commands[i].name == name) return &command_handles.emplace_back(RedisModuleCommand{i});
      }
      return nullptr;
    });
    OFFER(SetCommandInfo, [](RedisModuleCommand* command, const RedisModuleCommandInfo* info) {
      commands[command->index].arity = info->arity;
      return REDISMODULE_OK;
    });
    // The header of 7.0 has no names for these two.
    using add_category = int (*)(RedisModuleCtx*, const char*);
    using set_category = int (*)(RedisModuleCommand*, const char*);
    offered["RedisModule_AddACLCategory"] =
        reinterpret_cast<void*>(static_cast<add_category>([](RedisModuleCtx*, const char* name) {
          static std::set<std::string> added;
          if (added.insert(name).second) return REDISMODULE_OK;
          errno = EBUSY;
          return REDISMODULE_ERR;
        }));
    offered["RedisModule_SetCommandACLCategories"] = reinterpret_cast<void*>(
        static_cast<set_category>([](RedisModuleCommand* command, const char* name) {
          commands[command->index].category = name;
          return REDISMODULE_OK;
        }));
    OFFER(Log, log);
    OFFER(LogIOError, log_io);
    OFFER(Milliseconds, [] { return static_cast<long long>(++clock_ms); });
    OFFER(GetRandomBytes, [](unsigned char* to, std::size_t size) { std::memset(to, 7, size); });
    OFFER(GetContextFlags, [](RedisModuleCtx* context) { return context->host->flags_; });
    OFFER(NotifyKeyspaceEvent,
          [](RedisModuleCtx*, int, const char*, RedisModuleString*) { return REDISMODULE_OK; });
    offer_strings();
    offer_keys();
    offer_replies();
    offer_fields();
  }

  void offer_strings() {
    OFFER(StringPtrLen, [](const RedisModuleString* string, std::size_t* size) {
      if (size != nullptr) *size = string->text.size();
      return string->text.c_str();
    });
    OFFER(StringToLongLong, [](const RedisModuleString* string, long long* value) -> int {
      const std::string& text = string->text;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), *value);
      const bool sound = problem == std::errc{} && end == text.data() + text.size() &&
                         std::to_string(*value) == text;
      return sound ? REDISMODULE_OK : REDISMODULE_ERR;
    });
    OFFER(StringToDouble, [](const RedisModuleString* string, double* value) -> int {
      const std::string& text = string->text;
      char* end = nullptr;
      *value = std::strtod(text.c_str(), &end);
      return !text.empty() && end == text.c_str() + text.size() ? REDISMODULE_OK : REDISMODULE_ERR;
    });
    OFFER(CreateString, [](RedisModuleCtx*, const char* text, std::size_t size) {
      return new RedisModuleString{std::string(text, size)};
    });
    OFFER(RetainString, [](RedisModuleCtx*, RedisModuleString* string) { ++string->holders; });
    OFFER(FreeString, [](RedisModuleCtx*, RedisModuleString* string) {
      if (--string->holders == 0) delete string;
    });
  }

  void offer_keys() {
    OFFER(OpenKey, [](RedisModuleCtx* context, RedisModuleString* name, int mode) {
      const bool writable = (mode & REDISMODULE_WRITE) != 0;
      RedisModuleKey* made = nullptr;
      if (writable || context->host->keys_.contains(name->text)) {
        made = new RedisModuleKey{context->host, name->text, writable};
      }
      return static_cast<decltype(RedisModule_OpenKey(context, name, mode))>(made);
    });
    OFFER(CloseKey, [](RedisModuleKey* key) { delete key; });
    OFFER(KeyType, [](RedisModuleKey* key) {
      return key != nullptr && at(key) != nullptr ? REDISMODULE_KEYTYPE_MODULE
                                                  : REDISMODULE_KEYTYPE_EMPTY;
    });
    OFFER(ModuleTypeGetType, [](RedisModuleKey* key) -> RedisModuleType* {
      return key == nullptr || at(key) == nullptr ? nullptr
                                                  : static_cast<RedisModuleType*>(at(key)->type);
    });
    OFFER(ModuleTypeGetValue,
          [](RedisModuleKey* key) { return at(key) == nullptr ? nullptr : at(key)->held; });
    OFFER(ModuleTypeSetValue, [](RedisModuleKey* key, RedisModuleType* type, void* value) {
      law(key->writable, "only a key that is open for writing gets a value");
      key->host->put(key->name, {type, value});
      return REDISMODULE_OK;
    });
    OFFER(DeleteKey, [](RedisModuleKey* key) {
      law(key->writable, "only a key that is open for writing is deleted");
      key->host->remove(key->name);
      return REDISMODULE_OK;
    });
    OFFER(ReplicateVerbatim, [](RedisModuleCtx* context) {
      context->host->replicated_.push_back(*context->words);
      return REDISMODULE_OK;
    });
    OFFER(Replicate, replicate);
  }

  void offer_replies() {
    OFFER(ReplyWithSimpleString, [](RedisModuleCtx* to, const char*) { return replied(to); });
    OFFER(ReplyWithError, [](RedisModuleCtx* to, const char* why) {
      law(std::strpbrk(why, "\r\n") == nullptr, "an error is one line");
      return replied(to);
    });
    OFFER(ReplyWithStringBuffer, [](RedisModuleCtx* to, const char* text, std::size_t size) {
      volatile char seen = 0;
      if (size != 0) seen = static_cast<char>(text[0] ^ text[size - 1]);  // may be read
      (void)seen;
      return replied(to);
    });
    OFFER(ReplyWithLongLong, [](RedisModuleCtx* to, long long) { return replied(to); });
    OFFER(ReplyWithDouble, [](RedisModuleCtx* to, double) { return replied(to); });
    OFFER(ReplyWithBool, [](RedisModuleCtx* to, int) { return replied(to); });
    OFFER(ReplyWithNull, [](RedisModuleCtx* to) { return replied(to); });
    OFFER(WrongArity, [](RedisModuleCtx* to) { return replied(to); });
    OFFER(ReplyWithArray, [](RedisModuleCtx* to, long parts) { return opened(to, parts); });
    OFFER(ReplyWithMap, [](RedisModuleCtx* to, long parts) { return opened(to, 2 * parts); });
  }

  void offer_fields() {
    OFFER(LoadUnsigned, [](RedisModuleIO* from) { return take_field<std::uint64_t>(from); });
    OFFER(LoadDouble, [](RedisModuleIO* from) { return take_field<double>(from); });
    OFFER(LoadStringBuffer, [](RedisModuleIO* from, std::size_t* size) -> char* {
      const std::string text = take_field<std::string>(from);
      if (from->failed) return nullptr;
      *size = text.size();
      auto* const made = static_cast<char*>(std::malloc(text.size()));
      if (made != nullptr) std::memcpy(made, text.data(), text.size());
      return made;
    });
    OFFER(IsIOError, [](RedisModuleIO* from) { return from->failed ? 1 : 0; });
    OFFER(SaveUnsigned,
          [](RedisModuleIO* to, std::uint64_t value) { to->fields.emplace_back(value); });
    OFFER(SaveDouble, [](RedisModuleIO* to, double value) { to->fields.emplace_back(value); });
    OFFER(SaveStringBuffer, [](RedisModuleIO* to, const char* text, std::size_t size) {
      to->fields.emplace_back(std::string(text, size));
    });
    OFFER(EmitAOF, emit);
    // Instead of the server's bytes, a name under which RESTORE finds the fields: see redis_host::call.
    OFFER(SaveDataTypeToString,
          [](RedisModuleCtx*, void* value, const RedisModuleType* type) -> RedisModuleString* {
            RedisModuleIO io;
            type->methods.rdb_save(&io, value);
            saves().push_back(std::move(io.fields));
            return new RedisModuleString{"save " + std::to_string(saves().size() - 1)};
          });
#undef OFFER
  }

  static std::vector<redis_fields>& saves() {
    static std::vector<redis_fields> made;
    return made;
  }

  static int get(const char* name, void* place) {
    static const redis_api api;
    const auto found = api.offered.find(name);
    if (found == api.offered.end()) return REDISMODULE_ERR;
    *static_cast<void**>(place) = found->second;
    return REDISMODULE_OK;
  }

  // Of RESTORE, the dump whose fields are known by their name; its frame is the module's own work.
  static bool restore(redis_host& into, const redis_words& words) {
    const std::string& dump = words.at(3);
    law(dump.size() > 20 && dump[0] == 7 && dump[1] == '\x81', "a dump is of a module's value");
    std::uint64_t id = 0;
    for (std::size_t i = 2; i < 10; ++i) id = id << 8 | static_cast<unsigned char>(dump[i]);
    const std::size_t number = std::stoul(dump.substr(10 + 5));
    for (redis_type* const type : types) {
      constexpr std::string_view letters =
          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      std::uint64_t own = 0;
      for (const char c : type->name) own = own << 6 | letters.find(c);
      if ((own << 10 | static_cast<std::uint64_t>(type->encoding)) != id) continue;
      void* const held = redis_host::loaded(*type, type->encoding, saves().at(number));
      law(held != nullptr, "what was rewritten is read again");
      into.put(words[1], {type, held});
      return true;
    }
    law(false, "a dump is of a type that is known");
    return false;
  }
};

namespace {

void load_module() {
  static const bool loaded = [] {
    redis_host host(0);
    RedisModuleCtx context{redis_api::get, &host};
    law(RedisModule_OnLoad(&context, nullptr, 0) == REDISMODULE_OK, "the module is loaded");
    for (const redis_command& each : commands) {
      law(!each.category.empty(), "each command has a category of access");
    }
    return true;
  }();
  (void)loaded;
}

}  // namespace

const std::vector<redis_type*>& redis_types() {
  load_module();
  return types;
}

const std::vector<redis_command>& redis_commands() {
  load_module();
  return commands;
}

redis_host::~redis_host() {
  while (!keys_.empty()) remove(keys_.begin()->first);
  redis_api::saves().clear();
}

bool redis_host::call(const redis_words& words) {
  if (words.at(0) == "RESTORE") return redis_api::restore(*this, words);
  if (words[0] == "del") {
    remove(words.at(1));
    return true;
  }
  const auto count = static_cast<int>(words.size());
  for (const redis_command& each : redis_commands()) {
    if (strcasecmp(each.name.c_str(), words[0].c_str()) != 0) continue;
    if (each.arity < 0 ? count < -each.arity : count != each.arity) return false;
    RedisModuleCtx context{redis_api::get, this, &words};
    std::vector<RedisModuleString> strings(words.size());
    std::vector<RedisModuleString*> arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
      strings[i].text = words[i];
      arguments.push_back(&strings[i]);
    }
    law(each.run(&context, arguments.data(), count) == REDISMODULE_OK,
        "a command always ends well");
    law(context.replies == 1 && context.open.empty(), "a command replies, and in full");
    return true;
  }
  return false;
}

redis_fields redis_host::saved(const value& of) {
  RedisModuleIO io;
  of.type->methods.rdb_save(&io, of.held);
  return std::move(io.fields);
}

std::vector<redis_words> redis_host::rewritten(const value& of, const std::string& key) {
  RedisModuleIO io;
  RedisModuleString name{key};
  of.type->methods.aof_rewrite(&io, &name, of.held);
  return std::move(io.commands);
}

void redis_host::move(value& of) {
  RedisModuleDefragCtx context;
  law(of.type->methods.defrag(&context, nullptr, &of.held) == 0, "a value is moved at one go");
}

void* redis_host::loaded(redis_type& type, int encoding, redis_fields fields) {
  RedisModuleIO io;
  io.fields = std::move(fields);
  return type.methods.rdb_load(&io, encoding);
}

void redis_host::put(const std::string& key, value given) {
  remove(key);
  keys_[key] = given;
}

void redis_host::remove(const std::string& key) {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return;
  found->second.type->methods.free(found->second.held);
  keys_.erase(found);
}

}  // namespace bloomery::fuzzing
