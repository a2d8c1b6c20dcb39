#include "bloomery/bits/array/bit_array.hpp"

#include <bit>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

std::uint64_t checked_bytes(std::uint64_t bits) {
  if (bits == 0 || bits > max_bits) {
    fail(errc::limit, "an array of " + std::to_string(bits) + " bits; allowed: 1 to " +
                          std::to_string(max_bits));
  }
  return bit_array_bytes(bits);
}

// The low n bits, n in 0..64.
std::uint64_t low_bits(std::uint64_t n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

std::uint64_t bit_array_bytes(std::uint64_t bits) {
  return core::round_up(bits, cache_line_bits) / 8;
}

bit_array::bit_array(std::uint64_t bits)
    : cells_(storage::allocate(checked_bytes(bits))), bits_(bits) {}

bit_array::bit_array(std::uint64_t bits, storage cells) : cells_(std::move(cells)), bits_(bits) {
  if (cells_.size() != checked_bytes(bits)) {
    fail(errc::corrupt, std::to_string(bits) + " bits need " +
                            std::to_string(bit_array_bytes(bits)) + " bytes, there are " +
                            std::to_string(cells_.size()));
  }
  if (!core::zero_from_bit(cells_.bytes(), bits)) {
    fail(errc::corrupt, "bits are set in the padding after the last bit");
  }
}

std::uint64_t count_ones(const std::uint64_t* words, std::uint64_t first, std::uint64_t last) {
  assert(first <= last);
  std::uint64_t total = 0;
  for (std::uint64_t w = first / 64; w * 64 < last; ++w) {
    std::uint64_t bits = core::little_endian(__atomic_load_n(words + w, __ATOMIC_RELAXED));
    if (w == first / 64) bits &= ~low_bits(first % 64);
    if (last - w * 64 < 64) bits &= low_bits(last - w * 64);
    total += static_cast<std::uint64_t>(std::popcount(bits));
  }
  return total;
}

void bit_array::clear(std::uint64_t first, std::uint64_t last) {
  assert(first <= last && last <= bits_);
  std::uint64_t* const to = words();
  for (std::uint64_t w = first / 64; w * 64 < last; ++w) {
    std::uint64_t gone = ~std::uint64_t{0};
    if (w == first / 64) gone &= ~low_bits(first % 64);
    if (last - w * 64 < 64) gone &= low_bits(last - w * 64);
    to[w] &= ~core::little_endian(gone);
  }
}

std::uint64_t bit_array::count_common(const bit_array& other) const {
  assert(bits_ == other.bits_);
  std::uint64_t total = 0;
  for (std::uint64_t w = 0; w < word_count(); ++w) {
    total += static_cast<std::uint64_t>(std::popcount(word(w) & other.word(w)));
  }
  return total;
}

void bit_array::merge(const bit_array& other) {
  assert(bits_ == other.bits_);
  require_writable();
  std::uint64_t* const to = words();
  for (std::uint64_t w = 0; w < word_count(); ++w) to[w] |= other.words()[w];
}

void bit_array::intersect(const bit_array& other) {
  assert(bits_ == other.bits_);
  require_writable();
  std::uint64_t* const to = words();
  for (std::uint64_t w = 0; w < word_count(); ++w) to[w] &= other.words()[w];
}

bit_array bit_array::folded(std::uint64_t factor, std::uint64_t grain) const {
  assert(factor >= 1 && grain >= 1 && bits_ % (factor * grain) == 0);
  bit_array result(bits_ / factor);
  for (std::uint64_t w = 0; w < word_count(); ++w) {
    for (std::uint64_t rest = word(w); rest != 0; rest &= rest - 1) {
      const std::uint64_t i = w * 64 + static_cast<std::uint64_t>(std::countr_zero(rest));
      result.set(i / grain / factor * grain + i % grain);
    }
  }
  return result;
}

}  // namespace bloomery::bits
