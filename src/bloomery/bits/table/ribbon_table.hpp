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

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/bits/batch/pipeline.hpp"
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/bits/table/ribbon_kernels.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
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

  [[nodiscard]] ribbon_place place(std::uint64_t hash, const std::byte* thresholds,
                                   unsigned width) const {
    unsigned layer = 0;
    std::uint64_t row = hash::reduce(hash, layers_[0].starts);
    while (layer < bumping_ && is_bumped(layers_[layer].first_row + row, thresholds)) {
      ++layer;
      hash = hash_in(layer, hash);
      row = hash::reduce(hash, layers_[layer].starts);
    }
    row += layers_[layer].first_row;
    const ribbon_bits bits(hash, band_);
    const auto shift = static_cast<std::uint32_t>(row % math::ribbon_block);
    const std::uint32_t last = 1 + std::uint32_t{shift + band_ > 2 * math::ribbon_block};
    return {row / math::ribbon_block * width, bits.coefficients, shift, last, bits.fingerprint};
  }

 private:
  struct layer_probe {
    std::uint64_t starts = 0;     // rows where an equation may begin
    std::uint64_t first_row = 0;  // of the table
    std::uint64_t key = 0;
  };

  static bool is_bumped(std::uint64_t row, const std::byte* thresholds) {
    constexpr std::uint32_t packed = [] {
      std::uint32_t four = 0;
      for (unsigned i = 0; i < 4; ++i) four |= math::ribbon_thresholds[i] << 8 * i;
      return four;
    }();
    const std::uint64_t bucket = row / math::ribbon_bucket;
    const unsigned code = std::to_integer<unsigned>(thresholds[bucket / 4]) >> bucket % 4 * 2 & 3;
    return row % math::ribbon_bucket < (packed >> 8 * code & 255);
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
    constexpr std::size_t group = 64;
    const ribbon_kernels& run = chosen_ribbon_kernels();
    pipelined<group, ribbon_place>(
        keys.size(),
        [&](std::size_t first, std::span<ribbon_place> places) {
          for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = place(keys[first + i]);
            const std::uint32_t* const block = words() + places[i].word;
            core::prefetch(block);
            core::prefetch(block + std::size_t{places[i].last + 1} * layout_.width - 1);
          }
        },
        [&](std::size_t, std::span<const ribbon_place> places) {
          std::array<std::uint32_t, group> values;
          run.values(words(), layout_.width, places.data(), places.size(), values.data());
          for (std::size_t i = 0; i < places.size(); ++i) {
            act(values[i], places[i].fingerprint & fingerprint_mask());
          }
        });
  }

  std::uint64_t matches(std::span<const digest> keys, std::span<bool> out) const;  // how many
  void found(std::span<const digest> keys, std::span<std::optional<std::uint32_t>> out) const;

  [[nodiscard]] bool empty() const { return seed_ == 0; }

  // The stored form: a line of the seed and zeros, the rows in blocks, the thresholds; each part
  // padded with zeros to whole lines.
  static std::uint64_t stored_bytes(const ribbon_layout& layout);
  void require_writable() { stored_.require_writable(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

 private:
  [[nodiscard]] const std::uint32_t* words() const {
    return stored_.words<std::uint32_t>() + words_at / sizeof(std::uint32_t);
  }
  [[nodiscard]] ribbon_place place(digest d) const {
    return probe_.place(probe_.hash(d), stored_.words<std::byte>() + thresholds_at_, layout_.width);
  }
  [[nodiscard]] std::uint32_t value_at(const ribbon_place& at) const {
    std::uint32_t value = 0;
    chosen_ribbon_kernels().values(words(), layout_.width, &at, 1, &value);
    return value;
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
