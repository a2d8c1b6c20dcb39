// The set that a party has: digests in order, each once, and what tells it from another.
//
// Cost:      16 bytes a key, and sorting.
// Guarantee: two sets have the same print if they are the same, and else but for a chance of 2^-128; as digests have, this is
//            meant for accidents. Who can choose keys is kept from choosing prints by a keyed hash.
//
//     const bloomery::exchange::digest_set some({{3, 4}, {1, 2}, {3, 4}});
//     assert(some.size() == 2 && some.contains({1, 2}) && !some.contains({2, 1}));
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::exchange {

// A key as it counts in sums, so that keys which differ little do not.
constexpr digest scattered(digest d) {
  return {hash::mix(d.lo + hash::golden * (d.hi | 1)), hash::mix(d.hi ^ hash::mix(d.lo))};
}

// The sum over a set, to which keys are added and taken away.
struct set_print {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend constexpr bool operator==(const set_print&, const set_print&) = default;
  constexpr void add(digest d) {
    lo += scattered(d).lo;
    hi += scattered(d).hi;
  }
  constexpr void remove(digest d) {
    lo -= scattered(d).lo;
    hi -= scattered(d).hi;
  }
};

class digest_set {
 public:
  digest_set() = default;
  // `bytes` are those of the lines that the digests stand for, to be reported.
  explicit digest_set(std::vector<digest> keys, std::uint64_t bytes = 0)
      : keys_(std::move(keys)), bytes_(bytes) {
    std::ranges::sort(keys_, std::less<>());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    for (const digest d : keys_) print_.add(d);
  }
  [[nodiscard]] std::span<const digest> keys() const { return keys_; }
  [[nodiscard]] std::uint64_t size() const { return keys_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const set_print& print() const { return print_; }
  [[nodiscard]] bool contains(digest d) const {
    return std::binary_search(keys_.begin(), keys_.end(), d);
  }

 private:
  std::vector<digest> keys_;
  std::uint64_t bytes_ = 0;
  set_print print_;
};

// What two sets do not share.
struct differences {
  std::vector<digest> only_mine;
  std::vector<digest> only_theirs;
};

}  // namespace bloomery::exchange
