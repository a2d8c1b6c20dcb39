// A few keys and a value for each, exactly.
//
// Purpose:   what a structure of hashes cannot settle: keys by their whole digests, in order.
// Cost:      128 bits and the value for each key there is room for; a search by halves.
// Guarantee: stored bytes are checked for length, order and clean padding; what values may be is for
//            the structure to check.
//
//     bloomery::bits::digest_list list(3, 5);
//     list.add({1, 2}, 31);
//     list.add({3, 4}, 0);
//     assert(list.find({1, 2}) == 31U && list.find({3, 4}) == 0U && !list.find({5, 6}));
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery::bits {

class digest_list {
 public:
  digest_list(std::uint64_t room, unsigned value_bits)
      : count_(1), keys_(2 * room, 64), values_(room, value_bits) {}
  digest_list(std::uint64_t room, unsigned value_bits, storage stored);

  [[nodiscard]] std::uint64_t room() const { return values_.size(); }
  [[nodiscard]] std::uint64_t size() const { return count_.get(0); }
  [[nodiscard]] std::uint64_t value(std::uint64_t i) const { return values_.get(i); }
  [[nodiscard]] std::optional<std::uint64_t> find(digest d) const;

  // There must be room, and all keys before must come before it.
  void add(digest d, std::uint64_t value);

  // The stored form: a line with the number of keys, the digests, the values; each part padded with
  // zeros to whole lines.
  static std::uint64_t stored_bytes(std::uint64_t room, unsigned value_bits);
  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.count_);
    visit(self.keys_);
    visit(self.values_);
  }

 private:
  [[nodiscard]] digest key(std::uint64_t i) const {
    return {keys_.get(2 * i), keys_.get(2 * i + 1)};
  }

  ledger count_;
  packed_array keys_;  // both halves of each
  packed_array values_;
};

}  // namespace bloomery::bits
