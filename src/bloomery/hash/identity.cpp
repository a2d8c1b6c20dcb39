#include "bloomery/hash/identity.hpp"

#include <array>
#include <cstdio>

#include "bloomery/core/error.hpp"

namespace bloomery {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string_view tag_name(hash_id id) {
  return id == hash_id::keyed || id == hash_id::guarded ? "key fingerprint" : "seed";
}

}  // namespace

std::string_view name_of(hash_id id) {
  switch (id) {
    case hash_id::xxh3:
      return "xxh3";
    case hash_id::keyed:
      return "keyed";
    case hash_id::integer:
      return "integer";
    case hash_id::guarded:
      return "guarded";
    default:
      return id >= hash_id::custom ? "custom" : "unknown";
  }
}

bool is_known(hash_id id) {
  return name_of(id) != "unknown";
}

std::string describe(const hash_identity& identity) {
  std::string text(name_of(identity.id));
  if (identity.id >= hash_id::custom) {
    text += " " + hex(static_cast<std::uint32_t>(identity.id));
  }
  return text + " " + std::string(tag_name(identity.id)) + " " + hex(identity.tag);
}

void require_same_hash(const hash_identity& expected, const hash_identity& actual) {
  if (expected == actual) return;
  const bool same_function = expected.id == actual.id;
  const std::string what = same_function ? std::string(tag_name(expected.id)) : "hash function";
  fail(errc::incompatible,
       "the " + what + " differs: " + describe(expected) + " against " + describe(actual));
}

}  // namespace bloomery
