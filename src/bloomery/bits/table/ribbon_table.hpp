// A function from keys to values of 1 to 32 bits, fixed when it is built, in hardly more space than
// the values.
//
// Purpose:   bumped ribbon retrieval: a value is the sum, bit by bit, of some of 40 consecutive rows,
//            or 32. Values are given, or are the key's fingerprint, which makes a filter, or both
//            beside each other, which makes a map. For any other key some value comes out as well.
// Cost:      0.9 % more bits than the values from a million keys of eight bits, 1.8 % with 32 rows
//            (math/kinds/ribbon.hpp); two or three neighbouring blocks of 4·width bytes a look-up.
//            Building takes 8 bytes a key beside the table, 12 with values, and passes over them in
//            order.
// Guarantee: exact for every key it was built from, however often repeated; the same table whatever
//            the order and repeats of the keys and the number of threads. More keys than it is laid
//            out for, if they do not fit, throw errc::limit, a key with two values errc::invalid.
//            Stored bytes are checked for length, thresholds and clean padding; whatever they hold,
//            a look-up stays within them.
// Citation:  Dillinger, Hübschle-Schneider, Sanders, Walzer 2022.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {5, 6}};
//     const std::vector<std::uint32_t> values{7, 0, 31};
//     const auto table =
//         bloomery::bits::ribbon_table::of_values({.keys = 3, .width = 5}, keys, values);
//     assert(table.value({1, 2}) == 7 && table.value({3, 4}) == 0 && table.value({5, 6}) == 31);
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/bits/table/ribbon_kernels.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/ribbon.hpp"

namespace bloomery::bits {

struct ribbon_layout {
  std::uint64_t keys = 1;   // distinct ones that fit
  unsigned width = 8;       // bits of a row, 1 to 32
  unsigned value_bits = 0;  // the upper ones of them, above a fingerprint; fewer than the width
  unsigned band = math::ribbon_narrow;  // rows in an equation: ribbon_narrow or ribbon_wide

  [[nodiscard]] unsigned fingerprint_bits() const { return width - value_bits; }
};

// Where a key's rows are: the digest and the seed make 64 bits, which determine everything else. A
// bumped key gets another 64 bits for the next layer.
class ribbon_probe {
 public:
  ribbon_probe(const math::ribbon_size& size, std::uint64_t seed);

  // Both halves of the product depend on both of the digest, and no other seed collides alike.
  [[nodiscard]] std::uint64_t hash(digest d) const {
    return hash::fold(d.lo ^ lo_key_, d.hi ^ hi_key_);
  }
  // From the hash for the layer before.
  [[nodiscard]] std::uint64_t hash_in(unsigned layer, std::uint64_t hash) const {
    return hash::mix(hash ^ layers_[layer].key);
  }

  // The row where the equation begins, and the hash that it is made of, in the layer that keeps the key.
  struct landing {
    std::uint64_t hash;
    std::uint64_t row;
  };
  [[nodiscard]] landing land(std::uint64_t hash, const std::byte* thresholds) const {
    unsigned layer = 0;
    std::uint64_t row = hash::reduce(hash, layers_[0].starts);
    while (layer < bumping_ && is_bumped(layers_[layer].first_row + row, thresholds)) {
      ++layer;
      hash = hash_in(layer, hash);
      row = hash::reduce(hash, layers_[layer].starts);
    }
    return {hash, layers_[layer].first_row + row};
  }
  [[nodiscard]] ribbon_place place(const landing& at, unsigned width) const {
    const ribbon_bits bits(at.hash, band_);
    const auto shift = static_cast<std::uint32_t>(at.row % math::ribbon_block);
    const std::uint32_t last = 1 + std::uint32_t{shift + band_ > 2 * math::ribbon_block};
    return {at.row / math::ribbon_block * width, bits.coefficients, shift, last, bits.fingerprint};
  }
  [[nodiscard]] ribbon_place place(std::uint64_t hash, const std::byte* thresholds,
                                   unsigned width) const {
    return place(land(hash, thresholds), width);
  }

  // For kernels, which begin with the first layer.
  static constexpr std::uint32_t packed_thresholds = [] {
    std::uint32_t four = 0;
    for (unsigned i = 0; i < 4; ++i) four |= math::ribbon_thresholds[i] << 8 * i;
    return four;
  }();
  [[nodiscard]] std::uint64_t seed() const { return lo_key_; }
  [[nodiscard]] std::uint64_t other_seed() const { return hi_key_; }  // which it makes
  [[nodiscard]] unsigned band() const { return band_; }
  [[nodiscard]] std::uint64_t first_starts() const { return layers_[0].starts; }
  [[nodiscard]] bool bumps() const { return bumping_ != 0; }

 private:
  struct layer_probe {
    std::uint64_t starts = 0;     // rows where an equation may begin
    std::uint64_t first_row = 0;  // of the table
    std::uint64_t key = 0;
  };

  static bool is_bumped(std::uint64_t row, const std::byte* thresholds) {
    const std::uint64_t bucket = row / math::ribbon_bucket;
    const unsigned code = std::to_integer<unsigned>(thresholds[bucket / 4]) >> bucket % 4 * 2 & 3;
    return row % math::ribbon_bucket < (packed_thresholds >> 8 * code & 255);
  }

  std::uint64_t lo_key_;
  std::uint64_t hi_key_;
  unsigned band_;
  unsigned bumping_;
  std::array<layer_probe, math::ribbon_most_layers + 1> layers_;
};

class ribbon_table {
 public:
  using value_type = std::uint32_t;
  static constexpr unsigned max_width = 32;
  static constexpr std::uint64_t words_at = cache_line_bytes;

  explicit ribbon_table(const ribbon_layout& layout);  // of no keys: all values are 0
  ribbon_table(const ribbon_layout& layout, storage stored);

  static ribbon_table of_fingerprints(const ribbon_layout& layout, std::span<const digest> keys,
                                      unsigned threads = 1);
  static ribbon_table of_values(const ribbon_layout& layout, std::span<const digest> keys,
                                std::span<const std::uint32_t> values, unsigned threads = 1);
  // Values of value_bits, each above its key's fingerprint.
  static ribbon_table of_entries(const ribbon_layout& layout, std::span<const digest> keys,
                                 std::span<const std::uint32_t> values, unsigned threads = 1);

  [[nodiscard]] std::uint32_t value(digest d) const { return value_at(place(d)); }

  [[nodiscard]] bool matches(digest d) const {
    const ribbon_place at = place(d);
    return ((value_at(at) ^ at.fingerprint) & fingerprint_mask()) == 0;
  }
  // The value above the fingerprint, if that is there.
  [[nodiscard]] std::optional<std::uint32_t> found(digest d) const {
    const ribbon_place at = place(d);
    return above_fingerprint(value_at(at), at.fingerprint & fingerprint_mask());
  }
  // Calls act(value, fingerprint) for each key in order.
  template <class Act>
  void for_each(std::span<const digest> keys, Act act) const {
    constexpr std::size_t group = 512;
    std::array<std::uint32_t, group> values;
    std::array<std::uint32_t, group> fingerprints;
    for (std::size_t first = 0; first < keys.size(); first += group) {
      const auto some = keys.subspan(first, std::min(group, keys.size() - first));
      chosen_ribbon_kernels().of(some).values(rows(), some, values.data(), fingerprints.data());
      for (std::size_t i = 0; i < some.size(); ++i) {
        act(values[i], fingerprints[i] & fingerprint_mask());
      }
    }
  }

  // Batches, which prefetch once the table outgrows the cache, of digests or integers.
  template <class Keys>
  std::uint64_t matches(const Keys& keys, std::span<bool> out) const {  // how many
    assert(keys.size() == out.size());
    return chosen_ribbon_kernels().of(keys).matches(rows(), keys, out.data());
  }
  void found(std::span<const digest> keys, std::span<std::optional<std::uint32_t>> out) const;

  [[nodiscard]] bool empty() const { return seed_ == 0; }

  // The stored form: a line of the seed and zeros, the rows in blocks, the thresholds; each part
  // padded with zeros to whole lines.
  static std::uint64_t stored_bytes(const ribbon_layout& layout);
  void require_writable() { stored_.require_writable(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

  // What kernels need to know.
  [[nodiscard]] ribbon_words rows() const {
    return {words(),
            stored_.words<std::byte>() + thresholds_at_,
            bytes().size(),
            layout_.width,
            fingerprint_mask(),
            &probe_};
  }

 private:
  [[nodiscard]] const std::uint32_t* words() const {
    return stored_.words<std::uint32_t>() + words_at / sizeof(std::uint32_t);
  }
  [[nodiscard]] ribbon_place place(digest d) const {
    return probe_.place(probe_.hash(d), stored_.words<std::byte>() + thresholds_at_, layout_.width);
  }
  [[nodiscard]] std::uint32_t value_at(const ribbon_place& at) const {
    return chosen_ribbon_kernels().value(words(), layout_.width, at);
  }
  [[nodiscard]] std::optional<std::uint32_t> above_fingerprint(std::uint32_t row,
                                                               std::uint32_t fingerprint) const {
    if (((row ^ fingerprint) & fingerprint_mask()) != 0) return std::nullopt;
    return layout_.value_bits == 0 ? 0 : row >> layout_.fingerprint_bits();
  }
  [[nodiscard]] std::uint32_t fingerprint_mask() const {
    return ~std::uint32_t{0} >> (max_width - layout_.fingerprint_bits());
  }

  ribbon_layout layout_;
  storage stored_;
  std::uint64_t seed_;
  std::uint64_t thresholds_at_ = 0;
  ribbon_probe probe_;
};

}  // namespace bloomery::bits
