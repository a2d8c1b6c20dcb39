// A hash chosen at run time: what the tool and the servers use, one branch per batch.
//
// Purpose:   hashes text keys under any of the policies. Under the integer policy a key's text is
//            read as a decimal number below 2^64, so files built by programs can be queried by
//            hand.
// Guarantee: the digests are those of the typed policies.
//
//     const bloomery::hasher hash;
//     assert(hash("abc") == bloomery::xxh3_hash{}("abc"));
//     assert(hash.identity() == bloomery::hash_identity{});
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "bloomery/hash/policies.hpp"
#include "bloomery/hash/universal.hpp"

namespace bloomery {

class hasher {
 public:
  using policies = std::variant<xxh3_hash, keyed_hash, integer_hash, universal_hash>;

  hasher() = default;
  explicit hasher(policies chosen) : policy_(std::move(chosen)) {}

  // The hasher that a stored filter needs. Throws errc::incompatible if it is keyed and `secret`
  // is missing or another, or if its policy is the caller's own.
  static hasher for_identity(const hash_identity& wanted, std::optional<byte_view> secret = {});

  [[nodiscard]] hash_identity identity() const {
    return std::visit([](const auto& policy) { return policy.identity(); }, policy_);
  }
  [[nodiscard]] digest operator()(std::string_view key) const;
  void operator()(std::span<const std::string_view> keys, std::span<digest> digests) const;

 private:
  policies policy_;
};

}  // namespace bloomery
