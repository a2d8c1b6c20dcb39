// Which hash a filter was built with. It travels with the filter; a key never does.
//
// Two filters combine, and a filter answers, only under the same identity. `tag` is the seed of an
// unkeyed hash and a one-way fingerprint of the secret of a keyed or guarded one.
//
//     constexpr bloomery::hash_identity here{bloomery::hash_id::xxh3, 1};
//     constexpr bloomery::hash_identity there{bloomery::hash_id::xxh3, 2};
//     assert(here != there);
//     assert(bloomery::describe(here) == "xxh3 seed 0x1");
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

enum class hash_id : std::uint32_t {
  xxh3 = 1,             // XXH3-128 of the key's bytes, seeded
  keyed = 2,            // HighwayHash-128 of the key's bytes under a 256-bit secret
  integer = 3,          // a seeded mix of a 64-bit integer key
  guarded = 4,          // the kind's own cryptography under a secret; no digests
  custom = 0x80000000,  // and above: the caller's own policies
};

// "Bloomery" in ASCII, so that filters built apart with the default can be merged.
inline constexpr std::uint64_t default_seed = 0x426c6f6f6d657279;

struct hash_identity {
  hash_id id = hash_id::xxh3;
  std::uint64_t tag = default_seed;
  friend constexpr bool operator==(const hash_identity&, const hash_identity&) = default;
};

std::string_view name_of(hash_id id);
bool is_known(hash_id id);  // one of ours, or custom
std::string describe(const hash_identity& identity);

// Throws errc::incompatible with a message that says which part differs.
void require_same_hash(const hash_identity& expected, const hash_identity& actual);

}  // namespace bloomery
