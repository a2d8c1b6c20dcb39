#include "bloomery/bits/array/packed_array.hpp"

#include <string>
#include <utility>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery::bits {
namespace {

std::uint64_t checked_bits(std::uint64_t cells, unsigned width) {
  if (width < 1 || width > 64) {
    fail(errc::invalid, "cells of " + std::to_string(width) + " bits; allowed: 1 to 64");
  }
  if (cells < 1 || cells > max_bits / width) {
    fail(errc::limit, std::to_string(cells) + " cells of " + std::to_string(width) +
                          " bits; allowed: 1 to " + std::to_string(max_bits / width));
  }
  return cells * width;
}

}  // namespace

packed_array::packed_array(std::uint64_t cells, unsigned width)
    : stored_(storage::allocate(bit_array_bytes(checked_bits(cells, width)))),
      cells_(cells),
      width_(width) {}

packed_array::packed_array(std::uint64_t cells, unsigned width, storage stored)
    : stored_(std::move(stored)), cells_(cells), width_(width) {
  // A bit array of the same length makes the same checks.
  (void)bit_array(checked_bits(cells, width), storage::view(stored_.bytes()));
}

void packed_array::run_down(std::uint64_t first, std::uint64_t last) {
  assert(first <= last && last <= cells_);
  if (64 % width_ != 0) {
    for (std::uint64_t i = first; i < last; ++i) {
      if (const std::uint64_t value = get(i); value != 0) set(i, value - 1);
    }
    return;
  }
  const std::uint64_t tops = repeated(1) << (width_ - 1);  // the highest bit of each cell
  const std::uint64_t rests = ~tops;
  const std::uint64_t begin = first * width_;
  const std::uint64_t end = last * width_;
  for (std::uint64_t word = begin / 64; word * 64 < end; ++word) {
    std::uint64_t chosen = ~std::uint64_t{0};
    if (word == begin / 64) chosen <<= begin % 64;
    if (end - word * 64 < 64) chosen &= (std::uint64_t{1} << (end - word * 64)) - 1;
    const std::uint64_t value = load(word);
    const std::uint64_t not_zero = (((value & rests) + rests) | value) & tops & chosen;
    replace(word, ~std::uint64_t{0}, value - (not_zero >> (width_ - 1)));
  }
}

void packed_array::keep(std::uint64_t mask) {
  if (64 % width_ != 0) {
    for (std::uint64_t i = 0; i < cells_; ++i) set(i, get(i) & mask);
    return;
  }
  const std::uint64_t kept = repeated(mask);
  for (std::uint64_t word = 0; word * 8 < stored_.size(); ++word) replace(word, ~kept, 0);
}

}  // namespace bloomery::bits
