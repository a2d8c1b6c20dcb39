// A minimal perfect hash: n keys to n numbers, each its own, without storing the keys.
//
// Purpose:   tables of something for each key of a fixed set. What a stranger gets is some number in
//            the range as well.
// Cost:      2.43 to 2.6 bits a key; a look-up reads one byte, and once in a hundred times a packed
//            number. Building takes 16 bytes a key and 5 a slot beside the keys.
// Guarantee: bijective on `range` distinct keys, injective on fewer; repeats change nothing; the same
//            for the same set whatever the order and the number of threads. More distinct keys than the range throw errc::limit.
//            Stored bytes are checked: whatever they are, results stay in the range.
// Citation:  Belazzougui, Botelho, Dietzfelbinger 2009; Groot Koerkamp: PtrHash, 2025.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {5, 6}};
//     const auto number = bloomery::bits::perfect_hash::of(3, keys);
//     assert(number(keys[0]) + number(keys[1]) + number(keys[2]) == 0 + 1 + 2);
//     assert(number(keys[0]) != number(keys[1]) && number({7, 8}) < 3);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/perfect.hpp"

namespace bloomery::bits {

// Where keys fall, from a hash that depends on the attempt.
class perfect_probe {
 public:
  perfect_probe(const math::perfect_size& size, std::uint64_t attempt)
      : buckets_(size.buckets),
        slots_(size.slots),
        lo_key_(hash::mix(attempt + 1)),
        hi_key_(hash::mix(lo_key_)) {}

  [[nodiscard]] std::uint64_t hash(digest d) const {
    return hash::fold(d.lo ^ lo_key_, d.hi ^ hi_key_);
  }
  // By the square of the hash, so that some buckets are much larger than others: they choose first,
  // while most slots are free. A 256th of the hash itself bounds how large.
  [[nodiscard]] std::uint64_t bucket(std::uint64_t hash) const {
    const std::uint64_t square = hash::reduce(hash, hash);
    return hash::reduce(square - square / 256 + hash / 256, buckets_);
  }
  [[nodiscard]] std::uint64_t slot(std::uint64_t hash, std::uint64_t pilot) const {
    return hash::reduce(hash::fold(hash ^ mixed(pilot), hash::golden), slots_);
  }

 private:
  static std::uint64_t mixed(std::uint64_t pilot) { return pilot * 0xbf58476d1ce4e5b9; }

  std::uint64_t buckets_;
  std::uint64_t slots_;
  std::uint64_t lo_key_;
  std::uint64_t hi_key_;
};

class perfect_hash {
 public:
  explicit perfect_hash(std::uint64_t range);  // of no keys
  perfect_hash(std::uint64_t range, storage stored);
  static perfect_hash of(std::uint64_t range, std::span<const digest> keys, unsigned threads = 1);

  [[nodiscard]] std::uint64_t operator()(digest d) const {
    const std::uint64_t hash = probe_.hash(d);
    const std::uint64_t slot = probe_.slot(hash, pilot(probe_.bucket(hash)));
    return slot < size_.keys ? slot : spare_.get(slot - size_.keys);
  }

  [[nodiscard]] std::uint64_t range() const { return size_.keys; }
  [[nodiscard]] std::uint64_t keys() const { return numbers_.get(keys_at); }  // distinct

  // The stored form: a line of attempt and number of keys, the pilots, and where slots past the end
  // go, packed.
  static std::uint64_t stored_bytes(std::uint64_t range);
  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.numbers_);
    visit(self.pilots_);
    visit(self.spare_);
  }

 private:
  static constexpr std::uint64_t attempt_at = 0;
  static constexpr std::uint64_t keys_at = 1;
  static constexpr std::uint64_t numbers = 2;

  perfect_hash(const math::perfect_size& size, storage stored);
  [[nodiscard]] std::uint64_t pilot(std::uint64_t bucket) const {
    return std::to_integer<std::uint64_t>(pilots_.bytes()[bucket]);
  }

  math::perfect_size size_;
  ledger numbers_;
  storage pilots_;
  packed_array spare_;
  perfect_probe probe_;
};

}  // namespace bloomery::bits
