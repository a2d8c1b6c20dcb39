// Pairs of Bloom filters, each for what the one before left undecided: a digit for each item.
//
// Purpose:   the warm-up of the Bloomier paper. A pair's one filter holds the items whose digit is 0,
//            its other those whose digit is 1; items that pass both are held again by the next pair.
// Cost:      two filters of k hashes an item, mostly. Both filters of a pair share the bits of a level.
// Guarantee: an item that was held passes the filter of its digit on every level until one decides;
//            a few that none decides are returned. Another seed leaves others.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004, §2.
//
//     bloomery::bits::pair_cascade cascade(std::vector<std::uint64_t>{100, 50}, 3);
//     const auto left = cascade.hold({.count = 2, .item = [](std::uint64_t i) {
//       return bloomery::bits::pair_cascade::item{{i, 7}, 0, i == 1};
//     }});
//     assert(left.empty() && cascade.ask({1, 7}, 0) == bloomery::bits::pair_cascade::verdict::one);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery::bits {

class pair_cascade {
 public:
  enum class verdict : std::uint8_t { zero, one, neither, both };
  // A key has many digits, told apart by `place`, below 128.
  struct item {
    digest key;
    std::uint64_t place;
    bool one;
  };
  struct item_list {
    std::uint64_t count;
    std::function<struct item(std::uint64_t)> item;
  };

  pair_cascade(std::span<const std::uint64_t> level_bits, std::uint64_t hashes);
  // Takes its part from the front of `stored`.
  pair_cascade(std::span<const std::uint64_t> level_bits, std::uint64_t hashes, storage& stored);

  void reseed(std::uint64_t seed) { seed_ = seed; }
  // In place of what it held; returns the numbers of those that stay undecided.
  std::vector<std::uint64_t> hold(const item_list& items);
  [[nodiscard]] verdict ask(digest key, std::uint64_t place) const;
  void prefetch(digest key, std::uint64_t place) const;

  [[nodiscard]] std::uint64_t levels() const { return levels_.size(); }
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::vector<double> fills() const;  // the share of ones at each level

  // The stored form: the levels' bits, one after another.
  static std::uint64_t stored_bytes(std::span<const std::uint64_t> level_bits);
  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    for (auto& level : self.levels_) visit(level);
  }

 private:
  [[nodiscard]] digest tagged(const item& x, std::uint64_t level) const {
    const std::uint64_t tag = (level << 8) + 2 * x.place + std::uint64_t{x.one};
    return {hash::mix(x.key.lo ^ hash::mix(seed_ + tag * hash::golden)), x.key.hi};
  }
  template <class Visit>
  bool each_bit(const item& x, std::uint64_t level, Visit visit) const {
    return hash::uniform_probes{levels_[level].size(), hashes_}.all(tagged(x, level), visit);
  }
  [[nodiscard]] bool passes(const item& x, std::uint64_t level) const {
    return each_bit(x, level, [&](std::uint64_t i) { return levels_[level].test(i); });
  }

  std::uint64_t hashes_;
  std::vector<bit_array> levels_;
  std::uint64_t seed_ = 0;
};

}  // namespace bloomery::bits
