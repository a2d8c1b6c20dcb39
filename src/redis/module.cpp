// What the server calls when it loads the module: types, commands, configuration and INFO, each from its own
// file.
#include <string>

#include "redis/compression.hpp"
#include "redis/groups.hpp"
#include "redis/huge_pages.hpp"

namespace {

using namespace bloomery::redis;

constexpr const group* groups[] = {&bf_group,   &cf_group,      &cms_group,
                                   &topk_group, &tdigest_group, &bloom_group};

constexpr const char* module_name = "bf";
constexpr int module_version = 20820;  // of the module whose data and commands these are: 2.8.20

// Words and their values, as the module takes them whose place this one takes.
bool take_arguments(RedisModuleCtx* context, RedisModuleString** given, int count) {
  if (count == 1 && text_of(given[0]).empty()) return true;
  for (int i = 0; i < count; i += 2) {
    const call said(context, given, count);
    const auto whole = i + 1 < count ? said.integer(i + 1) : std::nullopt;
    const auto real = i + 1 < count ? said.real(i + 1) : std::nullopt;
    if (said.says(i, "INITIAL_SIZE") && whole && *whole > 0) {
      configured.capacity = static_cast<std::uint64_t>(*whole);
    } else if (said.says(i, "ERROR_RATE") && real && *real > 0 && *real < 1) {
      configured.rate = *real;
    } else if (said.says(i, "CF_MAX_EXPANSIONS") && whole && *whole > 0) {
      configured.most_filters = static_cast<std::uint64_t>(*whole);
    } else {
      RedisModule_Log(context, "warning",
                      "the module's arguments are INITIAL_SIZE and a number of keys, ERROR_RATE "
                      "and a rate between 0 "
                      "and 1, CF_MAX_EXPANSIONS and a number of filters; not so: %s",
                      std::string(said.text(i)).c_str());
      return false;
    }
  }
  return true;
}

bool configure(RedisModuleCtx* context) {
  constexpr long long gibibyte = 1LL << 30;
  return RedisModule_RegisterNumericConfig(
             context, "max-object-size", 4 * gibibyte, REDISMODULE_CONFIG_MEMORY, 1024, INT64_MAX,
             [](const char*, void*) { return configured.max_object_size; },
             [](const char*, long long value, void*, RedisModuleString**) {
               configured.max_object_size = value;
               return REDISMODULE_OK;
             },
             nullptr, nullptr) == REDISMODULE_OK &&
         RedisModule_RegisterBoolConfig(
             context, "huge-pages", 0, REDISMODULE_CONFIG_DEFAULT,
             [](const char*, void*) { return static_cast<int>(huge_pages::are_wanted()); },
             [](const char*, int value, void*, RedisModuleString**) {
               huge_pages::want(value != 0);
               return REDISMODULE_OK;
             },
             nullptr, nullptr) == REDISMODULE_OK &&
         RedisModule_LoadConfigs(context) == REDISMODULE_OK;
}

void inform(RedisModuleInfoCtx* to, int) {
  RedisModule_InfoAddSection(to, "objects");
  for (const group* each : groups) {
    RedisModule_InfoAddFieldLongLong(to, each->name, each->counts->objects);
  }
  RedisModule_InfoAddSection(to, "defrag");
  for (const group* each : groups) {
    const std::string name =
        std::string("moved_") + each->name;  // clients put all sections together
    RedisModule_InfoAddFieldLongLong(to, name.c_str(), each->counts->moved);
  }
}

bool load(RedisModuleCtx* context, RedisModuleString** given, int count) {
  use_memory_of_server();
  know_compression(context);
  RedisModule_SetModuleOptions(context, REDISMODULE_OPTIONS_HANDLE_IO_ERRORS);
  if (!take_arguments(context, given, count)) return false;
  for (const group* each : groups) {
    if (!each->register_type(context)) return false;
    if (!declare(context, each->commands)) return false;
  }
  return configure(context) && RedisModule_RegisterInfoFunc(context, inform) == REDISMODULE_OK;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx* context,
                                                                         RedisModuleString** given,
                                                                         int count) {
  if (RedisModule_Init(context, module_name, module_version, REDISMODULE_APIVER_1) !=
      REDISMODULE_OK) {
    return REDISMODULE_ERR;
  }
  try {
    return load(context, given, count) ? REDISMODULE_OK : REDISMODULE_ERR;
  } catch (...) {
    return REDISMODULE_ERR;
  }
}
