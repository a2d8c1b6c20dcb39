#include "bloomery/bits/table/pair_cascade.hpp"

#include <algorithm>
#include <numeric>

namespace bloomery::bits {

pair_cascade::pair_cascade(std::span<const std::uint64_t> level_bits, std::uint64_t hashes)
    : hashes_(hashes) {
  for (const std::uint64_t bits : level_bits) levels_.emplace_back(bits);
}

pair_cascade::pair_cascade(std::span<const std::uint64_t> level_bits, std::uint64_t hashes,
                           storage& stored)
    : hashes_(hashes) {
  for (const std::uint64_t bits : level_bits) {
    levels_.emplace_back(bits, stored.take_stored(bit_array_bytes(bits)));
  }
}

std::vector<std::uint64_t> pair_cascade::hold(const item_list& items) {
  std::vector<std::uint64_t> left(items.count);
  std::iota(left.begin(), left.end(), std::uint64_t{0});
  for (std::uint64_t level = 0; level < levels(); ++level) {
    bit_array& bits = levels_[level];
    bits.clear(0, bits.size());
    for (const std::uint64_t i : left) {
      each_bit(items.item(i), level, [&](std::uint64_t at) {
        bits.set(at);
        return true;
      });
    }
    std::erase_if(left, [&](std::uint64_t i) {
      item other = items.item(i);
      other.one = !other.one;
      return !passes(other, level);
    });
  }
  return left;
}

pair_cascade::verdict pair_cascade::ask(digest key, std::uint64_t place) const {
  for (std::uint64_t level = 0; level < levels(); ++level) {
    const bool zero = passes({key, place, false}, level);
    const bool one = passes({key, place, true}, level);
    if (!zero && !one) return verdict::neither;
    if (zero != one) return one ? verdict::one : verdict::zero;
  }
  return verdict::both;
}

void pair_cascade::prefetch(digest key, std::uint64_t place) const {
  for (const bool one : {false, true}) {
    each_bit({key, place, one}, 0, [&](std::uint64_t i) {
      levels_[0].prefetch(i);
      return true;
    });
  }
}

bool pair_cascade::empty() const {
  return std::all_of(levels_.begin(), levels_.end(),
                     [](const bit_array& bits) { return bits.count() == 0; });
}

std::vector<double> pair_cascade::fills() const {
  std::vector<double> shares;
  for (const bit_array& bits : levels_) shares.push_back(bits.fill());
  return shares;
}

std::uint64_t pair_cascade::stored_bytes(std::span<const std::uint64_t> level_bits) {
  return std::transform_reduce(level_bits.begin(), level_bits.end(), std::uint64_t{0},
                               std::plus<>(), bit_array_bytes);
}

}  // namespace bloomery::bits
