#include "bloomery/bits/array/bit_string.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bloomery/core/limits.hpp"

namespace bloomery::bits {

bit_string::bit_string(std::uint64_t bits, storage stored)
    : stored_(std::move(stored)), bits_(bits) {
  // A bit array of the same length makes the same checks.
  if (bits != 0) (void)bit_array(bits, storage::view(stored_.bytes()));
}

void bit_string::insert_zero(std::uint64_t i) {
  assert(i <= bits_);
  if (bits_ == 8 * stored_.size()) {
    storage larger = storage::allocate(stored_.size() + stored_.size() / 16 + cache_line_bytes);
    std::copy(stored_.bytes().begin(), stored_.bytes().end(), larger.bytes_for_writing().begin());
    stored_ = std::move(larger);
  }
  for (std::uint64_t w = bits_ / 64; w > i / 64; --w) {
    set_word(w, word(w) << 1 | word(w - 1) >> 63);
  }
  const std::uint64_t below = (std::uint64_t{1} << i % 64) - 1;
  const std::uint64_t here = word(i / 64);
  set_word(i / 64, (here & below) | (here & ~below) << 1);
  ++bits_;
}

void bit_string::remove(std::uint64_t i) {
  assert(i < bits_);
  const std::uint64_t last = (bits_ - 1) / 64;
  const std::uint64_t below = (std::uint64_t{1} << i % 64) - 1;
  for (std::uint64_t w = i / 64; w <= last; ++w) {
    const std::uint64_t kept = w == i / 64 ? below : 0;
    const std::uint64_t here = word(w);
    const std::uint64_t next = w == last ? 0 : word(w + 1) << 63;
    set_word(w, (here & kept) | (here >> 1 & ~kept) | next);
  }
  --bits_;
}

std::uint64_t count_leading_ones(const std::uint64_t* words, std::uint64_t first,
                                 std::uint64_t last) {
  std::uint64_t at = first;
  while (at < last) {
    const std::uint64_t word = core::little_endian(words[at / 64]) >> at % 64;
    const auto more = static_cast<std::uint64_t>(std::countr_one(word));
    at += more;
    if (at % 64 != 0 || more == 0) break;
  }
  return std::min(at, last) - first;
}

}  // namespace bloomery::bits
