// An array of cells of any width from 1 to 64 bits, packed without gaps.
//
// Purpose:   fingerprints, remainders and counters. Cell i holds bits i·w to i·w + w - 1 of the
//            little-endian bit string.
// Cost:      one word per access, two where a cell straddles; size()·w bits and padding.
// Guarantee: 64-bit indices; stored bytes are checked for length and clean padding.
//
//     bloomery::packed_array cells(10, 5);
//     cells.set(3, 17);
//     assert(cells.get(3) == 17 && cells.get(2) == 0 && cells.get(4) == 0);
#pragma once

#include <cassert>
#include <cstdint>

#include "bloomery/bits/storage.hpp"

namespace bloomery {

class packed_array {
 public:
  packed_array(std::uint64_t cells, unsigned width);
  packed_array(std::uint64_t cells, unsigned width, storage stored);

  [[nodiscard]] std::uint64_t size() const { return cells_; }
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] std::uint64_t max_value() const { return ~std::uint64_t{0} >> (64 - width_); }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const {
    assert(i < cells_);
    const std::uint64_t bit = i * width_;
    const unsigned shift = bit % 64;
    std::uint64_t value = load(bit / 64) >> shift;
    if (shift > 64 - width_) value |= load(bit / 64 + 1) << (64 - shift);
    return value & max_value();
  }

  void set(std::uint64_t i, std::uint64_t value) {
    assert(i < cells_ && value <= max_value());
    const std::uint64_t bit = i * width_;
    const unsigned shift = bit % 64;
    replace(bit / 64, max_value() << shift, value << shift);
    if (shift > 64 - width_) {
      replace(bit / 64 + 1, max_value() >> (64 - shift), value >> (64 - shift));
    }
  }

  void prefetch(std::uint64_t i) const {
    __builtin_prefetch(stored_.bytes().data() + i * width_ / 8);
  }

  [[nodiscard]] bool writable() const { return stored_.writable(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }
  [[nodiscard]] packed_array copy() const { return {cells_, width_, stored_.copy()}; }

 private:
  [[nodiscard]] std::uint64_t load(std::uint64_t word) const {
    return load_le<std::uint64_t>(stored_.bytes().data() + word * 8);
  }
  void replace(std::uint64_t word, std::uint64_t mask, std::uint64_t bits) {
    store_le(stored_.bytes_for_writing().data() + word * 8, (load(word) & ~mask) | bits);
  }

  storage stored_;
  std::uint64_t cells_;
  unsigned width_;
};

}  // namespace bloomery
