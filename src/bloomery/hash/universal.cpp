#include "bloomery/hash/universal.hpp"

#include <algorithm>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/wiped.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {
namespace {

using core::uint128;

constexpr std::size_t piece_bytes = 16;

std::uint64_t word(const std::byte* from) {
  return core::load_le<std::uint64_t>(from);
}
std::uint64_t low(uint128 x) {
  return static_cast<std::uint64_t>(x);
}
std::uint64_t high(uint128 x) {
  return static_cast<std::uint64_t>(x >> 64);
}

uint128 product(std::uint64_t first, std::uint64_t second, const std::uint64_t* by) {
  return static_cast<uint128>(first + by[0]) * (second + by[1]);
}

// NH of what fits in a block. Bytes become words by loads that overlap: for a given length, other bytes
// are other words.
uint128 of_block(const std::byte* from, std::size_t length, const std::uint64_t* by) {
  if (length >= piece_bytes) {
    uint128 sum = 0;
    const std::byte* const last = from + length - piece_bytes;
    for (; from < last; from += piece_bytes, by += 2) {
      sum += product(word(from), word(from + 8), by);
    }
    return sum + product(word(last), word(last + 8), by);
  }
  if (length >= 8) return product(word(from), word(from + length - 8), by);
  if (length >= 4) {
    const auto half = [](const std::byte* at) { return core::load_le<std::uint32_t>(at); };
    return product(half(from), half(from + length - 4), by);
  }
  if (length == 0) return product(0, 0, by);
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(from[i]); };
  return product(byte(0) << 8 | byte(length / 2), byte(length - 1), by);
}

// Horner's step modulo the prime 2^127 - 1, which may stand for 0: state up to it, factor below 2^124.
uint128 step(uint128 state, const std::array<std::uint64_t, 2>& drawn, std::uint64_t next) {
  constexpr uint128 prime = (uint128{1} << 127) - 1;
  const std::array factor{drawn[0], drawn[1] >> 4};
  const uint128 lowest = static_cast<uint128>(low(state)) * factor[0];
  const uint128 middle = static_cast<uint128>(low(state)) * factor[1] +
                         static_cast<uint128>(high(state)) * factor[0] + high(lowest);
  const uint128 highest = static_cast<uint128>(high(state)) * factor[1] + high(middle);
  const uint128 below = middle << 64 | low(lowest);
  const uint128 sum = (below & prime) + (below >> 127) + 2 * highest + next;  // 2^128 is 2
  return (sum & prime) + (sum >> 127);
}

}  // namespace

universal_hash::universal_hash(byte_view drawn) {
  if (drawn.size() != secret_bytes) {
    fail(errc::invalid, "a secret of the universal hash is " + std::to_string(secret_bytes) +
                            " bytes, this one has " + std::to_string(drawn.size()));
  }
  const auto made = std::allocate_shared<secret>(core::wiping_allocator<secret>());
  std::ranges::copy(drawn, std::as_writable_bytes(std::span(made.get(), 1)).begin());
  secret_ = made;
}

digest universal_hash::hash(byte_view key) const {
  const secret& by = *secret_;
  uint128 sum = 0;
  if (key.size() <= block_bytes) {
    sum = of_block(key.data(), key.size(), by.of_words.data());
  } else {
    for (std::size_t at = 0; at < key.size(); at += block_bytes) {
      const uint128 block =
          of_block(key.data() + at, std::min(block_bytes, key.size() - at), by.of_words.data());
      sum = step(step(sum, by.of_blocks, low(block)), by.of_blocks, high(block));
    }
  }
  sum += static_cast<uint128>(by.of_length) * key.size();
  // A bijection from here on: other sums are other digests.
  const std::uint64_t first = hash::mix(low(sum) ^ by.of_end);
  const std::uint64_t hi = hash::mix(high(sum) + first);
  return {first + hi, hi};
}

}  // namespace bloomery
