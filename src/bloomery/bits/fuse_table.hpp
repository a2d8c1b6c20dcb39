// A function from keys to values of 1 to 57 bits, fixed when it is built, that stores no keys.
//
// Purpose:   binary fuse: a key has 3 or 4 slots, one in each of as many consecutive segments, and
//            its value is the exclusive or of their contents. Values are given, or are the key's
//            fingerprint, which makes a filter. For any other key some value comes out as well.
// Cost:      about 1.125 slots a key with arity 3, 1.08 with 4 (math/retrieval.hpp); as many memory
//            accesses, independent of each other. Building takes 19 bytes a key beside the table.
// Guarantee: exact for every key it was built from, however often repeated; the same table whatever
//            the order of the keys and the number of threads. Keys that do not fit throw
//            errc::limit, a key with two values errc::invalid. Stored bytes are checked for length,
//            reserved bytes and clean padding.
// Citation:  Graf, Lemire: Binary Fuse Filters, 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {5, 6}};
//     const std::vector<std::uint64_t> values{7, 0, 31};
//     const bloomery::fuse_layout layout{.segments = 1, .segment_log2 = 3, .arity = 3, .width = 5};
//     const auto table = bloomery::fuse_table::of_values(layout, keys, values);
//     assert(table.value({1, 2}) == 7 && table.value({3, 4}) == 0 && table.value({5, 6}) == 31);
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "bloomery/bits/storage.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {

struct fuse_layout {
  std::uint64_t segments = 1;  // that a key's first slot may lie in
  unsigned segment_log2 = 2;   // of the slots in a segment, 1 to 20
  unsigned arity = 3;          // slots a key, 3 or 4
  unsigned width = 8;          // bits a slot, 1 to 57

  [[nodiscard]] std::uint64_t slots() const { return (segments + arity - 1) << segment_log2; }
};

// Where a key's slots are: the digest and the seed make 64 bits, of which all else is a function.
class fuse_probe {
 public:
  template <unsigned Arity>
  using place = std::array<std::uint64_t, Arity>;

  fuse_probe(const fuse_layout& layout, std::uint64_t seed)
      : lo_key_(seed),
        hi_key_(mix(seed)),
        first_slots_(layout.segments << layout.segment_log2),
        segment_(std::uint64_t{1} << layout.segment_log2),
        shift_(layout.segment_log2),
        fingerprints_(~std::uint64_t{0} >> (64 - layout.width)) {}

  // Both halves of the product depend on both of the digest, and no other seed collides alike.
  [[nodiscard]] std::uint64_t hash(digest d) const {
    const uint128 product = static_cast<uint128>(d.lo ^ lo_key_) * (d.hi ^ hi_key_);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  // The first slot by the high bits, the others in the following segments, each at the offset that
  // further bits turn the first one's into.
  template <unsigned Arity>
  [[nodiscard]] place<Arity> slots(std::uint64_t hash) const {
    place<Arity> result;
    result[0] = reduce(hash, first_slots_);
    std::uint64_t turns = hash * golden;
    for (unsigned i = 1; i < Arity; ++i) {
      result[i] = (result[0] + i * segment_) ^ (turns >> (64 - shift_));
      turns <<= shift_;
    }
    return result;
  }

  // The low bits of what the offsets take the high ones of.
  [[nodiscard]] std::uint64_t fingerprint(std::uint64_t hash) const {
    return hash * golden & fingerprints_;
  }

  [[nodiscard]] std::uint64_t seed() const { return lo_key_; }

 private:
  std::uint64_t lo_key_;
  std::uint64_t hi_key_;
  std::uint64_t first_slots_;
  std::uint64_t segment_;
  unsigned shift_;
  std::uint64_t fingerprints_;
};

class fuse_table {
 public:
  static constexpr unsigned max_segment_log2 = 20;
  static constexpr unsigned max_width = 57;  // an eight-byte load holds as many at any bit

  explicit fuse_table(const fuse_layout& layout);  // of no keys
  fuse_table(const fuse_layout& layout, storage stored);

  static fuse_table of_fingerprints(const fuse_layout& layout, std::span<const digest> keys,
                                    unsigned threads = 1);
  static fuse_table of_values(const fuse_layout& layout, std::span<const digest> keys,
                              std::span<const std::uint64_t> values, unsigned threads = 1);

  [[nodiscard]] std::uint64_t value(digest d) const { return value_of(probe_.hash(d)); }

  // What of_fingerprints gives each key as its value.
  [[nodiscard]] std::uint64_t fingerprint(digest d) const {
    return probe_.fingerprint(probe_.hash(d));
  }

  [[nodiscard]] bool matches(digest d) const {
    const std::uint64_t hash = probe_.hash(d);
    return value_of(hash) == probe_.fingerprint(hash);
  }

  // Calls act(value, fingerprint) for each key in order; prefetches once the table outgrows the
  // cache.
  template <class Act>
  void for_each(std::span<const digest> keys, Act act) const {
    if (layout_.arity == 3) {
      look_up<3>(keys, act);
    } else {
      look_up<4>(keys, act);
    }
  }

  [[nodiscard]] std::uint64_t keys() const { return keys_; }  // distinct
  [[nodiscard]] const fuse_layout& layout() const { return layout_; }

  // The stored form: a line of seed, number of keys and zeros, then the slots, packed.
  static std::uint64_t stored_bytes(const fuse_layout& layout);
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }
  [[nodiscard]] fuse_table copy() const { return {layout_, stored_.copy()}; }

 private:
  [[nodiscard]] std::uint64_t value_of(std::uint64_t hash) const {
    return layout_.arity == 3 ? value_at(probe_.slots<3>(hash)) : value_at(probe_.slots<4>(hash));
  }

  template <std::size_t Arity>
  [[nodiscard]] std::uint64_t value_at(const std::array<std::uint64_t, Arity>& slots) const {
    std::uint64_t value = 0;
    for (const std::uint64_t slot : slots) {
      const std::uint64_t bit = slot * layout_.width;
      value ^= load_le<std::uint64_t>(cells_ + bit / 8) >> bit % 8;
    }
    return value & values_;
  }

  template <unsigned Arity, class Act>
  void look_up(std::span<const digest> keys, Act act) const {
    constexpr std::size_t group = 32;
    constexpr std::uint64_t cached_bytes = 1 << 20;
    if (bytes().size() <= cached_bytes) {
      for (const digest d : keys) {
        const std::uint64_t hash = probe_.hash(d);
        act(value_at(probe_.slots<Arity>(hash)), probe_.fingerprint(hash));
      }
      return;
    }
    std::array<std::uint64_t, group> hashes;
    std::array<fuse_probe::place<Arity>, group> places;
    while (!keys.empty()) {
      const std::size_t size = std::min(group, keys.size());
      for (std::size_t i = 0; i < size; ++i) {
        hashes[i] = probe_.hash(keys[i]);
        places[i] = probe_.slots<Arity>(hashes[i]);
        for (const std::uint64_t slot : places[i]) {
          __builtin_prefetch(cells_ + slot * layout_.width / 8);
        }
      }
      for (std::size_t i = 0; i < size; ++i) {
        act(value_at(places[i]), probe_.fingerprint(hashes[i]));
      }
      keys = keys.subspan(size);
    }
  }

  fuse_layout layout_;
  storage stored_;
  const std::byte* cells_;
  std::uint64_t keys_;
  std::uint64_t values_;  // all bits of a value set
  fuse_probe probe_;
};

}  // namespace bloomery
