#include "redis/command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace bloomery::redis {
namespace {

// The shape of categories of access, since 7.4; 0 where they are not.
struct categories {
  int (*add)(RedisModuleCtx*, const char* name) = nullptr;
  int (*set)(RedisModuleCommand*, const char* names) = nullptr;

  categories() {
    RedisModule_GetApi("RedisModule_AddACLCategory", reinterpret_cast<void**>(&add));
    RedisModule_GetApi("RedisModule_SetCommandACLCategories", reinterpret_cast<void**>(&set));
  }
};

RedisModuleCommandKeySpec first_key(std::uint64_t flags, int last = 0) {
  RedisModuleCommandKeySpec spec{};
  spec.flags = flags;
  spec.begin_search_type = REDISMODULE_KSPEC_BS_INDEX;
  spec.bs.index.pos = 1;
  spec.find_keys_type = REDISMODULE_KSPEC_FK_RANGE;
  spec.fk.range = {last, 1, 0};
  return spec;
}

RedisModuleCommandKeySpec counted_keys() {
  RedisModuleCommandKeySpec spec{};
  spec.flags = REDISMODULE_CMD_KEY_RO | REDISMODULE_CMD_KEY_ACCESS;
  spec.begin_search_type = REDISMODULE_KSPEC_BS_INDEX;
  spec.bs.index.pos = 2;
  spec.find_keys_type = REDISMODULE_KSPEC_FK_KEYNUM;
  spec.fk.keynum = {0, 1, 1};
  return spec;
}

// Ends with one of zeros, as the server wants it.
std::vector<RedisModuleCommandKeySpec> specs_of(keys where) {
  constexpr std::uint64_t change =
      REDISMODULE_CMD_KEY_RW | REDISMODULE_CMD_KEY_ACCESS | REDISMODULE_CMD_KEY_UPDATE;
  switch (where) {
    case keys::none:
      return {{}};
    case keys::read:
      return {first_key(REDISMODULE_CMD_KEY_RO | REDISMODULE_CMD_KEY_ACCESS), {}};
    case keys::change:
      return {first_key(change), {}};
    case keys::merge:
      return {first_key(change), counted_keys(), {}};
    case keys::change_and_change:
      return {first_key(change, 1), {}};
  }
  return {{}};
}

bool declare(RedisModuleCtx* context, const command& row) {
  const int first = row.where == keys::none ? 0 : 1;
  const int last = row.where == keys::change_and_change ? 2 : first;
  if (RedisModule_CreateCommand(context, row.name, row.run, row.flags, first, last, first) !=
      REDISMODULE_OK) {
    return false;
  }
  RedisModuleCommand* const made = RedisModule_GetCommand(context, row.name);
  std::vector<RedisModuleCommandKeySpec> specs = specs_of(row.where);
  // The names are copied by the server, so that they need not live on.
  std::vector<std::string> names{""};
  for (const char* c = row.arguments; *c != '\0'; ++c) {
    if (*c == ' ') {
      names.emplace_back();
    } else {
      names.back() += *c;
    }
  }
  std::vector<RedisModuleCommandArg> arguments;
  for (std::string& name : names) {
    if (name.empty()) continue;
    RedisModuleCommandArg argument{};
    argument.type = REDISMODULE_ARG_TYPE_STRING;
    argument.key_spec_index = -1;
    if (name.front() == '[') {
      argument.flags |= REDISMODULE_CMD_ARG_OPTIONAL;
      name = name.substr(1, name.size() - 2);
    }
    if (name.ends_with("...")) {
      argument.flags |= REDISMODULE_CMD_ARG_MULTIPLE;
      name.resize(name.size() - 3);
    }
    if (const std::size_t equals = name.find('='); equals != std::string::npos) {
      name[equals] = '\0';
      argument.token = name.c_str();
      argument.name = name.c_str() + equals + 1;
    } else {
      argument.name = name.c_str();
    }
    if (name == "key" && first == 1) {
      argument.type = REDISMODULE_ARG_TYPE_KEY;
      argument.key_spec_index = 0;
    } else if (name.front() >= 'A' && name.front() <= 'Z' && argument.token == nullptr) {
      argument.type = REDISMODULE_ARG_TYPE_PURE_TOKEN;
      argument.token = argument.name;
    }
    arguments.push_back(argument);
  }
  arguments.push_back({});
  RedisModuleCommandInfo info{};
  info.version = REDISMODULE_COMMAND_INFO_VERSION;
  info.summary = row.summary;
  info.complexity = row.complexity;
  info.arity = row.arity;
  info.key_specs = specs.data();
  info.args = arguments.data();
  return RedisModule_SetCommandInfo(made, &info) == REDISMODULE_OK;
}

}  // namespace

bool declare(RedisModuleCtx* context, const command_group& group) {
  const categories known;
  errno = 0;
  // Of another group it may be there already.
  const bool with_category =
      !group.commands.empty() && known.add != nullptr && known.set != nullptr &&
      (known.add(context, group.category) == REDISMODULE_OK || errno == EBUSY);
  return std::ranges::all_of(group.commands, [&](const command& row) {
    if (!declare(context, row)) {
      RedisModule_Log(context, "warning", "the command %s could not be declared", row.name);
      return false;
    }
    if (with_category) known.set(RedisModule_GetCommand(context, row.name), group.category);
    return true;
  });
}

}  // namespace bloomery::redis
