// Commands as tables: a row each, from which the server learns name, flags, arity, where the keys are, the
// category of access and what COMMAND DOCS says.
#pragma once

#include <span>

#include "redis/call.hpp"

namespace bloomery::redis {

enum class keys {
  none,
  read,               // the first argument
  change,             // the first argument, which is read too
  merge,              // the first argument is changed; then their number, and keys that are read
  change_and_change,  // the first two
};

struct command {
  const char* name;
  RedisModuleCmdFunc run;
  const char* flags;
  int arity;  // with the name; negative if it is the least
  keys where;
  const char* arguments;  // as COMMAND DOCS tells them, separated by spaces
  const char* complexity;
  const char* summary;
};

// A group of commands and the category that ACL rules name, as far as the server has categories.
struct command_group {
  const char* category;
  std::span<const command> commands;
};

// False if the server refuses one.
bool declare(RedisModuleCtx* context, const command_group& group);

}  // namespace bloomery::redis
