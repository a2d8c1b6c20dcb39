// An array of cells of any width from 1 to 64 bits, packed without gaps.
//
// Purpose:   fingerprints, remainders and counters. Cell i holds bits i·w to i·w + w - 1 of the
//            little-endian bit string.
// Cost:      one word per access, two where a cell straddles; size()·w bits and padding.
// Guarantee: 64-bit indices; stored bytes are checked for length and clean padding.
//
//     bloomery::bits::packed_array cells(10, 5);
//     cells.set(3, 17);
//     assert(cells.get(3) == 17 && cells.get(2) == 0 && cells.get(4) == 0);
#pragma once

#include <cassert>
#include <cstdint>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/prefetch.hpp"

namespace bloomery::bits {

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

  // Takes one from every cell from `first` to before `last` that is not zero; a word at a time if the
  // width divides 64.
  void run_down(std::uint64_t first, std::uint64_t last);

  // Ands every cell with `mask`.
  void keep(std::uint64_t mask);

  void prefetch(std::uint64_t i) const { core::prefetch(start() + i * width_ / 8); }

  // Throws errc::read_only for a view; call before a run of set.
  void require_writable() { (void)stored_.bytes_for_writing(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }
  // For kernels that read: 64 bits each, little-endian.
  [[nodiscard]] const std::uint64_t* words() const { return stored_.words<std::uint64_t>(); }
  // For kernels: cells of 8, 16, 32 or 64 bits are little-endian integers. Needs a writable array.
  [[nodiscard]] std::byte* data() {
    assert(stored_.writable());
    return const_cast<std::byte*>(start());  // owned, and never const
  }

 private:
  [[nodiscard]] const std::byte* start() const { return stored_.words<std::byte>(); }
  [[nodiscard]] std::uint64_t load(std::uint64_t word) const {
    return core::load_le<std::uint64_t>(start() + word * 8);
  }
  void replace(std::uint64_t word, std::uint64_t mask, std::uint64_t bits) {
    core::store_le(data() + word * 8, (load(word) & ~mask) | bits);
  }

  // `value` in every cell of a word; the width divides 64.
  [[nodiscard]] std::uint64_t repeated(std::uint64_t value) const {
    return ~std::uint64_t{0} / max_value() * value;
  }

  storage stored_;
  std::uint64_t cells_;
  unsigned width_;
};

}  // namespace bloomery::bits
