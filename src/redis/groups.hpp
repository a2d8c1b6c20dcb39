// The one list of the module's types and of the commands on them.
#pragma once

#include "redis/command.hpp"
#include "redis/type.hpp"

namespace bloomery::redis {

struct group {
  const char* name;
  bool (*register_type)(RedisModuleCtx*);
  const type_counts* counts;
  command_group commands;
};

extern const group bf_group;  // bf.cpp, and so on
extern const group cf_group;
extern const group cms_group;
extern const group topk_group;
extern const group tdigest_group;
extern const group bloom_group;  // native/bloom.cpp

}  // namespace bloomery::redis
