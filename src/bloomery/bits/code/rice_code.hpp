// Rice codes in a string of bits: small numbers in few bits, large ones in no more than a bound.
//
// Purpose:   the gaps of a sorted set. A number is its quotient by 2^rice_bits in unary, ones and a
//            zero, then its remainder; from a quotient of longest_quotient on, it is longest_quotient
//            ones and then the whole number, in `whole_bits`.
// Cost:      one load of eight bytes to read most codes, two for the others.
// Guarantee: a code is at most longest_quotient + 56 bits, whatever the number. Loads and stores reach
//            spare_bytes past the byte in which a code ends; nothing but the code is changed.
// Citation:  Rice, Plaunt 1971.
//
//     std::array<std::byte, 32> bits{};
//     const bloomery::bits::rice_code code{3, 40};
//     const std::uint64_t end = code.write(bits.data(), 5, 20);
//     assert(end == 5 + code.length(20) && code.length(20) == 6);
//     std::uint64_t at = 5;
//     assert(code.read(bits.data(), at) == 20 && at == end);
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

#include "bloomery/core/bytes.hpp"
#include "bloomery/math/kinds/golomb.hpp"

namespace bloomery::bits {

struct rice_code {
  std::uint64_t rice_bits;   // at most 55
  std::uint64_t whole_bits;  // at most 56; numbers are below 2^whole_bits

  static constexpr unsigned most_ones = math::longest_quotient;
  static constexpr std::uint64_t spare_bytes = 16;

  [[nodiscard]] std::uint64_t length(std::uint64_t number) const {
    const std::uint64_t quotient = number >> rice_bits;
    return quotient < most_ones ? quotient + 1 + rice_bits : most_ones + whole_bits;
  }

  // At bit `at`, where all is zero from there on; returns the bit behind it.
  std::uint64_t write(std::byte* bits, std::uint64_t at, std::uint64_t number) const {
    const std::uint64_t quotient = number >> rice_bits;
    if (quotient >= most_ones) {
      return put(bits, put(bits, at, ones(most_ones), most_ones), number, whole_bits);
    }
    at = put(bits, at, ones(quotient), quotient + 1);
    return put(bits, at, number & ones(rice_bits), rice_bits);
  }

  // The number whose code begins at bit `at`, which moves behind it.
  std::uint64_t read(const std::byte* bits, std::uint64_t& at) const {
    const std::uint64_t word = peek(bits, at);
    const auto quotient = static_cast<unsigned>(std::countr_one(word));
    if (quotient >= most_ones) {
      const std::uint64_t number = peek(bits, at + most_ones) & ones(whole_bits);
      at += most_ones + whole_bits;
      return number;
    }
    const std::uint64_t behind = quotient + 1;
    const std::uint64_t rest =
        behind + rice_bits <= peeked ? word >> behind : peek(bits, at + behind);
    at += behind + rice_bits;
    return std::uint64_t{quotient} << rice_bits | (rest & ones(rice_bits));
  }

 private:
  static constexpr std::uint64_t peeked = 57;  // bits of a word that are there at any bit

  static std::uint64_t ones(std::uint64_t count) { return (std::uint64_t{1} << count) - 1; }
  static std::uint64_t peek(const std::byte* bits, std::uint64_t at) {
    return core::load_le<std::uint64_t>(bits + at / 8) >> at % 8;
  }
  static std::uint64_t put(std::byte* bits, std::uint64_t at, std::uint64_t value,
                           std::uint64_t count) {
    assert(count < peeked);
    std::byte* to = bits + at / 8;
    core::store_le(to, core::load_le<std::uint64_t>(to) | value << at % 8);
    return at + count;
  }
};

}  // namespace bloomery::bits
