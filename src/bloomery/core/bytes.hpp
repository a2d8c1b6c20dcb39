// Bytes as the wire sees them: views, and little-endian integers on every machine.
//
//     std::array<std::byte, 8> place{};
//     bloomery::core::store_le<std::uint64_t>(place.data(), 258);
//     assert(place[0] == std::byte{2} && place[1] == std::byte{1});
//     assert(bloomery::core::load_le<std::uint64_t>(place.data()) == 258);
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace bloomery {

using byte_view = std::span<const std::byte>;

}  // namespace bloomery

namespace bloomery::core {

namespace detail {
template <std::unsigned_integral T>
constexpr T swap_bytes(T value) {
  T swapped = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    swapped = static_cast<T>(swapped << 8 | (value >> 8 * i & 0xff));
  }
  return swapped;
}
}  // namespace detail

// The same operation both ways: the value whose native bytes are `value` in little-endian order.
template <std::unsigned_integral T>
constexpr T little_endian(T value) {
  if constexpr (std::endian::native == std::endian::little) {
    return value;
  } else {
    return detail::swap_bytes(value);
  }
}

template <std::unsigned_integral T>
T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return little_endian(value);
}

template <std::unsigned_integral T>
void store_le(std::byte* to, T value) {
  value = little_endian(value);
  std::memcpy(to, &value, sizeof value);
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace bloomery::core
