// A function from keys to contents of 1 to 57 bits, fixed when it is built, that stores no keys.
//
// Purpose:   binary fuse: a key has 3 or 4 slots, one in each of as many consecutive segments, and
//            its content is their exclusive or: the key's fingerprint, which makes a filter, or that
//            beside a value, which makes a map. For any other key something comes out as well.
// Cost:      about 1.125 slots a key with arity 3, 1.08 with 4 (math/kinds/fuse.hpp); as many memory
//            accesses, independent of each other. Building takes 17 bytes a key beside the table;
//            any number of threads sort the keys, two at most fill the slots.
// Guarantee: exact for every key it was built from, however often repeated; the same table whatever
//            the order of the keys and the number of threads. Keys that do not fit throw
//            errc::limit, a key with two values errc::invalid. Stored bytes are checked for length,
//            reserved bytes and clean padding.
// Citation:  Graf, Lemire: Binary Fuse Filters, 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {5, 6}};
//     const std::vector<std::uint64_t> values{7, 0, 31};
//     const bloomery::bits::fuse_layout layout{.segments = 1, .segment_log2 = 3, .arity = 3,
//         .width = 50, .value_bits = 5};
//     const auto table = bloomery::bits::fuse_table::of_entries(layout, keys, values);
//     assert(table.found({1, 2}) == 7U && table.found({5, 6}) == 31U && !table.found({7, 8}));
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/bits/table/fuse_kernels.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/fuse.hpp"

namespace bloomery::bits {

struct fuse_layout {
  std::uint64_t segments = 1;  // that a key's first slot may lie in
  unsigned segment_log2 = 2;   // of the slots in a segment, 1 to 20
  unsigned arity = 3;          // slots a key, 3 or 4
  unsigned width = 8;          // bits a slot, 1 to 57
  unsigned value_bits = 0;     // the upper ones of them, above a fingerprint; fewer than the width

  [[nodiscard]] std::uint64_t slots() const { return (segments + arity - 1) << segment_log2; }
  [[nodiscard]] unsigned fingerprint_bits() const { return width - value_bits; }
};

// Where a key's slots are: the digest and the seed make a hash, which determines everything else.
class fuse_probe {
 public:
  static constexpr unsigned zero_bits = 64 - math::fuse_hash_bits;

  template <unsigned Arity>
  using place = std::array<std::uint64_t, Arity>;

  fuse_probe(const fuse_layout& layout, std::uint64_t seed)
      : lo_key_(seed),
        hi_key_(hash::mix(seed)),
        first_slots_(layout.segments << layout.segment_log2),
        segment_(std::uint64_t{1} << layout.segment_log2),
        shift_(layout.segment_log2) {}

  // The high bits of both halves of a product to which either half of the digest is a factor: other
  // seeds bring other keys together. The low bits are zero.
  [[nodiscard]] std::uint64_t hash(digest d) const {
    return hash::fold(d.lo ^ lo_key_, d.hi ^ hi_key_) >> zero_bits << zero_bits;
  }

  // The first slot by the high bits, the others in the following segments, each at the offset that
  // further bits turn the first one's into.
  template <unsigned Arity>
  [[nodiscard]] place<Arity> slots(std::uint64_t hash) const {
    place<Arity> result;
    result[0] = hash::reduce(hash, first_slots_);
    std::uint64_t turns = hash * hash::golden;
    for (unsigned i = 1; i < Arity; ++i) {
      result[i] = (result[0] + i * segment_) ^ (turns >> (64 - shift_));
      turns <<= shift_;
    }
    return result;
  }

  // The low bits, which the offsets depend on but never show.
  [[nodiscard]] static std::uint64_t long_fingerprint(std::uint64_t hash) {
    return hash >> zero_bits;
  }

  [[nodiscard]] std::uint64_t seed() const { return lo_key_; }
  [[nodiscard]] std::uint64_t other_seed() const { return hi_key_; }  // which it makes

 private:
  std::uint64_t lo_key_;
  std::uint64_t hi_key_;
  std::uint64_t first_slots_;
  std::uint64_t segment_;
  unsigned shift_;
};

// How slots are read: in one load, as narrow as will do, so that few cross a cache line. Bits of
// other slots may come along above the width.
template <std::unsigned_integral Word>
struct whole_slots {
  const std::byte* cells;

  [[nodiscard]] const std::byte* place(std::uint64_t slot) const {
    return cells + slot * sizeof(Word);
  }
  [[nodiscard]] std::uint64_t read(std::uint64_t slot) const {
    return core::load_le<Word>(place(slot));
  }
};

template <std::unsigned_integral Word>
struct packed_slots {
  const std::byte* cells;
  std::uint64_t width;  // at most 7 bits less than a word, to be read from any bit

  [[nodiscard]] const std::byte* place(std::uint64_t slot) const {
    return cells + slot * width / 8;
  }
  [[nodiscard]] std::uint64_t read(std::uint64_t slot) const {
    return core::load_le<Word>(place(slot)) >> slot * width % 8;
  }
};

class fuse_table {
 public:
  using value_type = std::uint64_t;
  static constexpr unsigned max_segment_log2 = 20;
  static constexpr std::uint64_t cells_at = cache_line_bytes;
  static constexpr unsigned max_width = 57;  // an eight-byte load holds as many at any bit

  explicit fuse_table(const fuse_layout& layout);  // of no keys
  fuse_table(const fuse_layout& layout, storage stored);

  static fuse_table of_fingerprints(const fuse_layout& layout, std::span<const digest> keys,
                                    unsigned threads = 1);
  // Values of value_bits, each above its key's fingerprint.
  static fuse_table of_entries(const fuse_layout& layout, std::span<const digest> keys,
                               std::span<const std::uint64_t> values, unsigned threads = 1);

  // Is the fingerprint there?
  [[nodiscard]] bool matches(digest d) const {
    const std::uint64_t hash = probe_.hash(d);
    if (of_bytes_) {
      const std::uint64_t slots = joined(whole_slots<std::uint8_t>{cells()}, probe_.slots<3>(hash));
      return static_cast<std::uint8_t>(slots ^ fuse_probe::long_fingerprint(hash)) == 0;
    }
    return matches_hash(hash);
  }
  // The value above the fingerprint, if that is there.
  [[nodiscard]] std::optional<std::uint64_t> found(digest d) const {
    const std::uint64_t hash = probe_.hash(d);
    return above_fingerprint(contents(hash), hash);
  }

  // Batches, which prefetch once the table outgrows the cache, of digests or integers.
  template <class Keys>
  std::uint64_t matches(const Keys& keys, std::span<bool> out) const {  // how many
    assert(keys.size() == out.size());
    return fuse_kernels_now().of(keys).matches(slots(), keys, out.data());
  }
  void found(std::span<const digest> keys, std::span<std::optional<std::uint64_t>> out) const;

  // What kernels need to know.
  [[nodiscard]] fuse_slots slots() const {
    return {cells(),
            bytes().size(),
            probe_.seed(),
            probe_.other_seed(),
            layout_.segments << layout_.segment_log2,
            layout_.segment_log2,
            layout_.arity,
            layout_.width,
            fingerprints_};
  }

  [[nodiscard]] std::uint64_t keys() const { return keys_; }  // distinct
  [[nodiscard]] bool empty() const { return keys_ == 0; }

  // The stored form: a line of seed, number of keys and zeros, then the slots, packed.
  static std::uint64_t stored_bytes(const fuse_layout& layout);
  void require_writable() { stored_.require_writable(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

 private:
  [[nodiscard]] const std::byte* cells() const { return stored_.words<std::byte>() + cells_at; }

  // For slots of any other width, out of the way: inlined it would take the registers of the loops in
  // which `matches` stands.
  [[nodiscard, gnu::pure]] bool matches_hash(std::uint64_t hash) const;

  // Calls act with what reads the slots of this width.
  template <class Act>
  auto reading(Act act) const {
    if (layout_.width == 8) return act(whole_slots<std::uint8_t>{cells()});
    if (layout_.width == 16) return act(whole_slots<std::uint16_t>{cells()});
    if (layout_.width <= 25) return act(packed_slots<std::uint32_t>{cells(), layout_.width});
    if (layout_.width == 32) return act(whole_slots<std::uint32_t>{cells()});
    return act(packed_slots<std::uint64_t>{cells(), layout_.width});
  }

  template <std::size_t Arity>
  static std::uint64_t joined(const auto& reader, const std::array<std::uint64_t, Arity>& slots) {
    std::uint64_t all = 0;
    for (const std::uint64_t slot : slots) all ^= reader.read(slot);
    return all;
  }

  [[nodiscard]] std::uint64_t contents(std::uint64_t hash) const {
    return reading([&](const auto& reader) {
      return layout_.arity == 3 ? joined(reader, probe_.slots<3>(hash))
                                : joined(reader, probe_.slots<4>(hash));
    });
  }

  [[nodiscard]] std::optional<std::uint64_t> above_fingerprint(std::uint64_t slots,
                                                               std::uint64_t hash) const {
    if (((slots ^ fuse_probe::long_fingerprint(hash)) & fingerprints_) != 0) return std::nullopt;
    return (slots & values_) >> layout_.fingerprint_bits();
  }

  fuse_layout layout_;
  storage stored_;
  std::uint64_t keys_;
  std::uint64_t values_;        // all bits of a slot set
  std::uint64_t fingerprints_;  // those of them that are fingerprint
  bool of_bytes_;               // all fingerprint, three a key
  fuse_probe probe_;
};

}  // namespace bloomery::bits
