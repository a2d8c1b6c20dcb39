// Keys in a row that are hashed as they are read: a span of digests that takes no memory.
//
// Purpose:   batch operations take either this or a span of digests. Where hashing is a few
//            instructions, as for integers, that saves a pass over memory.
//
//     const std::array<std::uint64_t, 2> ids{42, 43};
//     const bloomery::hash::hashed_span keys(bloomery::integer_hash{},
//         std::span<const std::uint64_t>(ids));
//     assert(keys.size() == 2 && keys[1] == bloomery::integer_hash{}(43));
//     assert(keys.subspan(1, 1)[0] == keys[1]);
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/hash/policies.hpp"

namespace bloomery::hash {

template <class Key, class Hash>
class hashed_span {
 public:
  hashed_span(const Hash& hash, std::span<const Key> keys) : hash_(hash), keys_(keys) {}

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] digest operator[](std::size_t i) const { return hash_(keys_[i]); }
  [[nodiscard]] hashed_span subspan(std::size_t first, std::size_t count) const {
    return {hash_, keys_.subspan(first, count)};
  }
  [[nodiscard]] const Hash& hash() const { return hash_; }
  [[nodiscard]] std::span<const Key> unhashed() const { return keys_; }

 private:
  Hash hash_;
  std::span<const Key> keys_;
};

}  // namespace bloomery::hash

namespace bloomery {

// What batches take.
using digest_span = std::span<const digest>;
using integer_span = hash::hashed_span<std::uint64_t, integer_hash>;

}  // namespace bloomery
