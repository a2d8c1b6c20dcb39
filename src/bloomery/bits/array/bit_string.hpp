// A string of bits into which bits are inserted and from which they are taken.
//
// Purpose:   the parts of compressed structures that move; short, since what follows a change is
//            shifted by one place.
// Cost:      a word for each 64 bits behind the place of a change, and of a range counted. Memory
//            grows by a sixteenth at a time.
// Guarantee: bits from size() to the end of bytes(), whole cache lines, are zero; stored bytes are
//            checked for it. A string over a view must not be changed.
//
//     bloomery::bits::bit_string bits;
//     bits.insert_zero(0);
//     bits.flip(0);
//     bits.insert_zero(0);
//     assert(bits.size() == 2 && !bits.test(0) && bits.test(1) && bits.bytes().size() == 64);
//     bits.remove(0);
//     assert(bits.size() == 1 && bits.test(0) && bits.ones_from(0) == 1);
#pragma once

#include <cassert>
#include <cstdint>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/memory/storage.hpp"

namespace bloomery::bits {

// The length of the run of ones from bit `first` on that ends before bit `last`.
std::uint64_t count_leading_ones(const std::uint64_t* words, std::uint64_t first,
                                 std::uint64_t last);

class bit_string {
 public:
  bit_string() = default;
  // Takes bit_array_bytes(bits) stored bytes; errc::corrupt if the rest of them is not zero.
  bit_string(std::uint64_t bits, storage stored);

  [[nodiscard]] std::uint64_t size() const { return bits_; }
  [[nodiscard]] bool test(std::uint64_t i) const {
    assert(i < bits_);
    return (word(i / 64) >> i % 64 & 1) != 0;
  }
  void flip(std::uint64_t i) {
    assert(i < bits_);
    set_word(i / 64, word(i / 64) ^ std::uint64_t{1} << i % 64);
  }
  void insert_zero(std::uint64_t i);  // before bit i, or at the end; unchanged if it throws
  void remove(std::uint64_t i);

  [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t last) const {
    assert(last <= bits_);
    return count_ones(words(), first, last);
  }
  // The length of the run of ones that starts at bit i; 0 if that is zero or the end.
  [[nodiscard]] std::uint64_t ones_from(std::uint64_t i) const {
    return count_leading_ones(words(), i, bits_);
  }

  void require_writable() { stored_.require_writable(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes().first(bit_array_bytes(bits_)); }

 private:
  [[nodiscard]] const std::uint64_t* words() const { return stored_.words<std::uint64_t>(); }
  [[nodiscard]] std::uint64_t word(std::uint64_t w) const {
    return core::little_endian(words()[w]);
  }
  void set_word(std::uint64_t w, std::uint64_t value) {
    assert(stored_.writable());
    const_cast<std::uint64_t*>(words())[w] = core::little_endian(value);  // owned, and never const
  }

  storage stored_;
  std::uint64_t bits_ = 0;
};

}  // namespace bloomery::bits
