#include "bloomery/bits/packed_array.hpp"

#include <string>
#include <utility>

#include "bloomery/bits/bit_array.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery {
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

}  // namespace bloomery
