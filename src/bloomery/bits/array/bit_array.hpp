// An array of bits over storage: bit i is bit i mod 8 of byte i / 8, on every machine.
//
// Purpose:   the cells of every bit filter; whole-array or, and, count and fold.
// Cost:      one word access per bit; 64-bit indices throughout.
// Guarantee: bits beyond size() in the last line stay zero. set_shared may run beside itself,
//            test, word and count from any number of threads; everything else that changes bits
//            needs the array to itself.
//
//     bloomery::bits::bit_array bits(100);
//     assert(bits.set(42) && !bits.set(42));
//     assert(bits.test(42) && bits.count() == 1);
//     assert(bits.folded(10).test(4));
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/prefetch.hpp"

namespace bloomery::bits {

// Bytes that `bits` occupy: whole cache lines.
std::uint64_t bit_array_bytes(std::uint64_t bits);

// How many of the bits first to last - 1 are set, in words as a bit array has them.
std::uint64_t count_ones(const std::uint64_t* words, std::uint64_t first, std::uint64_t last);

class bit_array {
 public:
  explicit bit_array(std::uint64_t bits);

  // Takes stored bytes, checking their length and that the padding is zero (errc::corrupt).
  bit_array(std::uint64_t bits, storage cells);

  [[nodiscard]] std::uint64_t size() const { return bits_; }

  [[nodiscard]] bool test(std::uint64_t i) const {
    assert(i < bits_);
    return (__atomic_load_n(words() + i / 64, __ATOMIC_RELAXED) & mask(i)) != 0;
  }

  // True if the bit was clear before.
  bool set(std::uint64_t i) {
    assert(i < bits_);
    std::uint64_t& word = words()[i / 64];
    const bool was_clear = (word & mask(i)) == 0;
    word |= mask(i);
    return was_clear;
  }

  // True if the bit was set before.
  bool clear(std::uint64_t i) {
    assert(i < bits_);
    std::uint64_t& word = words()[i / 64];
    const bool was_set = (word & mask(i)) != 0;
    word &= ~mask(i);
    return was_set;
  }
  void clear(std::uint64_t first, std::uint64_t last);  // from first to before last

  bool set_shared(std::uint64_t i) {
    if (test(i)) return false;  // spares the cache line when nothing changes
    return (__atomic_fetch_or(words() + i / 64, mask(i), __ATOMIC_RELAXED) & mask(i)) == 0;
  }

  // 64 bits, the first of them lowest; beside set_shared, too.
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const {
    return core::little_endian(__atomic_load_n(words() + i, __ATOMIC_RELAXED));
  }

  void prefetch(std::uint64_t i) const { core::prefetch(words() + i / 64); }

  [[nodiscard]] std::uint64_t count() const { return count(0, bits_); }
  [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t last) const {
    assert(last <= bits_);
    return count_ones(words(), first, last);
  }
  // Bits set in both; the sizes must agree.
  [[nodiscard]] std::uint64_t count_common(const bit_array& other) const;

  void merge(const bit_array& other);      // or; the sizes must agree
  void intersect(const bit_array& other);  // and

  // The array of size() / factor bits in which each is the or of `factor` neighbours; with a grain
  // g, neighbours are runs of g bits. `factor` times `grain` must divide size().
  [[nodiscard]] bit_array folded(std::uint64_t factor, std::uint64_t grain = 1) const;

  // The share of ones.
  [[nodiscard]] double fill() const {
    return static_cast<double>(count()) / static_cast<double>(size());
  }

  // For kernels: 64 bits each as they lie in memory. Writing needs a writable array.
  [[nodiscard]] const std::uint64_t* words() const { return cells_.words<std::uint64_t>(); }
  [[nodiscard]] std::uint64_t* words() {
    assert(cells_.writable());
    return const_cast<std::uint64_t*>(std::as_const(*this).words());  // owned, and never const
  }

  [[nodiscard]] bool writable() const { return cells_.writable(); }
  [[nodiscard]] byte_view bytes() const { return cells_.bytes(); }

  // Throws errc::read_only for a view; call before a run of set or set_shared.
  void require_writable() { (void)cells_.bytes_for_writing(); }

 private:
  static constexpr std::uint64_t mask(std::uint64_t i) {
    return core::little_endian(std::uint64_t{1} << i % 64);
  }
  [[nodiscard]] std::uint64_t word_count() const { return (bits_ + 63) / 64; }

  storage cells_;
  std::uint64_t bits_ = 0;
};

// Which cells of an array are not 0.
template <class Cells>
bit_array nonzero(const Cells& cells) {
  bit_array result(cells.size());
  for (std::uint64_t i = 0; i < cells.size(); ++i) {
    if (cells.get(i) != 0) result.set(i);
  }
  return result;
}

}  // namespace bloomery::bits
