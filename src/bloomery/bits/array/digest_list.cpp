#include "bloomery/bits/array/digest_list.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::bits {
namespace {

std::uint64_t key_bytes(std::uint64_t room) {
  return bit_array_bytes(128 * room);
}

}  // namespace

digest_list::digest_list(std::uint64_t room, unsigned value_bits, storage stored)
    : count_(1, stored.take_stored(ledger::stored_bytes(1))),
      keys_(2 * room, 64, stored.take_stored(key_bytes(room))),
      values_(room, value_bits, std::move(stored)) {
  if (size() > room) {
    fail(errc::corrupt,
         std::to_string(size()) + " listed keys, and room for " + std::to_string(room));
  }
  for (std::uint64_t i = 0; i < room; ++i) {
    const bool sound =
        i < size() ? i == 0 || key(i - 1) < key(i) : key(i) == digest{} && values_.get(i) == 0;
    if (!sound) fail(errc::corrupt, "the listed keys are out of order");
  }
}

std::uint64_t digest_list::stored_bytes(std::uint64_t room, unsigned value_bits) {
  return ledger::stored_bytes(1) + key_bytes(room) + bit_array_bytes(room * value_bits);
}

void digest_list::add(digest d, std::uint64_t value) {
  const std::uint64_t i = size();
  assert(i < room() && (i == 0 || key(i - 1) < d));
  keys_.set(2 * i, d.lo);
  keys_.set(2 * i + 1, d.hi);
  values_.set(i, value);
  count_.add(0, 1);
}

std::optional<std::uint64_t> digest_list::find(digest d) const {
  const std::uint64_t before =
      math::largest_below(size() + 1, [&](std::uint64_t n) { return key(n - 1) < d; });
  if (before == size() || !(key(before) == d)) return std::nullopt;
  return value(before);
}

}  // namespace bloomery::bits
