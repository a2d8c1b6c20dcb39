#include "bloomery/hash/hasher.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key_batch.hpp"

namespace bloomery {
namespace {

constexpr std::size_t shown_key_length = 40;

// The start of a key for a message: one line, no control characters.
std::string shown(std::string_view key) {
  std::string text(key.substr(0, shown_key_length));
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  return text;
}

std::uint64_t integer_from(std::string_view key) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), value);
  if (problem != std::errc{} || end != key.data() + key.size()) {
    fail(errc::invalid, "key '" + shown(key) +
                            "' is not a decimal number below 2^64, which this filter's integer "
                            "hash needs");
  }
  return value;
}

digest apply(const auto& policy, std::string_view key) {
  return policy(key);
}
digest apply(const integer_hash& policy, std::string_view key) {
  return policy(integer_from(key));
}

}  // namespace

hasher hasher::for_identity(const hash_identity& wanted, std::optional<byte_view> secret) {
  switch (wanted.id) {
    case hash_id::xxh3:
      return hasher(xxh3_hash(wanted.tag));
    case hash_id::integer:
      return hasher(integer_hash(wanted.tag));
    case hash_id::keyed: {
      if (!secret) {
        fail(errc::incompatible,
             "the filter is keyed (" + describe(wanted) + ") and no secret key was given");
      }
      const keyed_hash policy(*secret);
      require_same_hash(wanted, policy.identity());
      return hasher(policy);
    }
    case hash_id::guarded:
      fail(errc::incompatible, "the filter is guarded (" + describe(wanted) +
                                   "): it takes no digests, only keys with their secret");
    default:
      fail(errc::incompatible,
           "the filter's hash (" + describe(wanted) + ") belongs to the program that built it");
  }
}

digest hasher::operator()(std::string_view key) const {
  return std::visit([&](const auto& policy) { return apply(policy, key); }, policy_);
}

void hasher::operator()(std::span<const std::string_view> keys, std::span<digest> digests) const {
  if (keys.size() != digests.size()) {
    fail(errc::invalid, "there are " + std::to_string(keys.size()) + " keys and room for " +
                            std::to_string(digests.size()) + " digests");
  }
  std::visit(
      [&]<class Policy>(const Policy& policy) {
        if constexpr (hash::hashes_views<Policy>) {
          hash::hash_keys(policy, keys.begin(), keys.size(), digests.data());
        } else {
          for (std::size_t i = 0; i < keys.size(); ++i) digests[i] = apply(policy, keys[i]);
        }
      },
      policy_);
}

}  // namespace bloomery
