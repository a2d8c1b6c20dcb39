// How a filter is spread over the keys of a Redis Cluster, as it is kept under the filter's name: a string of JSON, so
// that a person can read it there. Its shards are filters of their own, under
//
//     NAME:{TAG}:SHARD:FAMILY
//
// with tags whose slots lie evenly. A generation is a family of shards that was made at one time; who adds keys
// adds them to the latest, who asks asks all. The epoch is how often that has changed: shards refuse who knows an
// earlier one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/hash/identity.hpp"

namespace bloomery::cli {

inline constexpr std::uint64_t most_shards = 1 << 16;
inline constexpr std::size_t most_generations = 64;
// Of one shard: moving a slot dumps and restores the whole value, for which two servers stand still.
inline constexpr std::uint64_t usual_shard_bytes = 64 << 20;

struct generation {
  std::uint64_t family = 0;
  std::vector<field_value> shape;  // of every shard
  std::uint64_t shards = 1;
  promise promised;  // of all of them together

  [[nodiscard]] promise of_shard() const;
};

struct sharding {
  const any_kind* kind = nullptr;
  hash_identity hash;
  std::uint64_t epoch = 1;
  std::vector<generation> generations;  // the latest last

  [[nodiscard]] std::string text() const;
  // errc::corrupt for what is damaged, or none at all.
  static sharding parsed(const std::string& text);
  static bool is_one(std::string_view text);
};

// Shards of the latest generation's size, for so many keys at half its rate, so that the rates of all generations
// add up to less than twice the first one's. errc::unsupported if it cannot be told which generation has a key.
generation next_generation(const sharding& of, std::uint64_t keys);

// errc::invalid for a name that would decide the slot of all shards.
void require_shardable(const std::string& name);
std::string shard_key(const std::string& name, const generation& of, std::uint64_t shard);

// Whether a server can add the keys of such a kind by their digests alone: to rank them it would need the keys
// themselves, and of those that may not come back somebody has to tell.
bool takes_digests(const any_kind& kind);
// Whether adding a key twice is the same as adding it once, so that what may be done already can be done again.
bool adds_idempotently(const any_kind& kind);

}  // namespace bloomery::cli
