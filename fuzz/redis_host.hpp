// As much of a Redis server as the module asks for: keys, calls of commands, what is replicated, and values as
// fields, in memory. What the module may never do breaks a law here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "redis/server.hpp"

namespace bloomery::fuzzing {

using redis_field = std::variant<std::uint64_t, double, std::string>;
using redis_fields = std::vector<redis_field>;
using redis_words = std::vector<std::string>;

// A type or a command that the module has declared.
struct redis_type {
  std::string name;
  int encoding;
  RedisModuleTypeMethods methods;
};
struct redis_command {
  std::string name;
  RedisModuleCmdFunc run;
  int arity;
  std::string category;  // of access, as servers have them since 7.4
};

// The module, loaded once for all hosts: it has statics.
const std::vector<redis_type*>& redis_types();
const std::vector<redis_command>& redis_commands();

class redis_host {
 public:
  // Of whose flags: 0 for clients, or REDISMODULE_CTX_FLAGS_REPLICATED, _LOADING.
  explicit redis_host(int flags) : flags_(flags) {}
  redis_host(const redis_host&) = delete;
  redis_host& operator=(const redis_host&) = delete;
  ~redis_host();

  // False if there is no such command, or it takes another number of words. Otherwise it has replied, once.
  bool call(const redis_words& words);
  // What it has told replicas since the last time.
  std::vector<redis_words> take_replicated() { return std::move(replicated_); }

  struct value {
    redis_type* type;
    void* held;
  };
  std::map<std::string, value>& keys() { return keys_; }
  // Of a value: its fields, and commands that make it again under that key.
  static redis_fields saved(const value& of);
  static std::vector<redis_words> rewritten(const value& of, const std::string& key);
  // Each of its allocations to another place, as a server does that has gaps between them.
  static void move(value& of);
  // A value of such fields, or null.
  static void* loaded(redis_type& type, int encoding, redis_fields fields);
  // In the place of what was there.
  void put(const std::string& key, value given);
  void remove(const std::string& key);

 private:
  friend struct redis_api;

  int flags_;
  std::map<std::string, value> keys_;
  std::vector<redis_words> replicated_;
};

}  // namespace bloomery::fuzzing
