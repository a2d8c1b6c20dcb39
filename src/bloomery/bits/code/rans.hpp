// Bytes of known weights to the bits they are worth, and back: rANS, many states abreast.
//
// Purpose:   the arithmetic under entropy_coder. Common bytes have frequencies in 4096, and one of f
//            costs log2(4096 / f) bits. Those worth less than two in 4096 have one byte stand for
//            them, and are coded again, with frequencies of their own.
// Cost:      a table look-up and a multiplication a byte, eight abreast where there is AVX2 and 32
//            lanes. Each lane, a state of its own, costs three bytes.
// Guarantee: the same bytes from every back end. Decoding any bytes stays within its tables and
//            words: running out of words, or not arriving where the encoder began, throws
//            errc::corrupt.
// Citation:  Duda 2013, arXiv:1311.2540 (range variant); Giesen 2014, arXiv:1402.3392 (interleaved
//            states); division by a constant: Granlund and Montgomery 1994.
//
//     bloomery::bits::byte_weights weights{};
//     weights['a'] = 3;
//     weights['b'] = 1;
//     const bloomery::bits::byte_code code(weights);
//     const std::array text{std::byte{'a'}, std::byte{'b'}, std::byte{'a'}};
//     std::vector<std::byte> coded;
//     code.encode(text, bloomery::bits::rans::lanes::one, coded);
//     assert(coded.size() == 4);
//     std::array<std::byte, 3> again{};
//     code.decode(coded, bloomery::bits::rans::lanes::one, again);
//     assert(again == text);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

using byte_weights = std::array<std::uint64_t, 256>;

namespace rans {

inline constexpr unsigned scale = 12;
inline constexpr std::uint32_t slots = std::uint32_t{1} << scale;

[[noreturn]] void refuse(const char* what);  // errc::corrupt
inline void require(bool sound, const char* what) {
  if (!sound) refuse(what);
}

// As powers of 2. Few symbols make do with fewer lanes than they may have: one up to 1023, at most
// four up to 4095.
enum class lanes : std::uint8_t { one = 0, four = 2, all = 5 };

// Out of 4096, in proportion to the weights, but at least 1 for each that is not zero. Not all may be
// zero.
using frequencies = std::array<std::uint16_t, 256>;
frequencies normalised(const byte_weights& weights);

}  // namespace rans

class byte_code {
 public:
  // Bytes of weight zero cannot be coded. Not all may be zero.
  explicit byte_code(const byte_weights& weights);

  // The bits that these counts of each byte take.
  [[nodiscard]] double cost(const byte_weights& counts) const;

  // Appends to `coded`.
  void encode(byte_view symbols, rans::lanes most, std::vector<std::byte>& coded) const;
  // As many symbols as there is room for.
  void decode(byte_view coded, rans::lanes most, std::span<std::byte> symbols) const;

 private:
  rans::frequencies common_{};
  rans::frequencies rare_{};
  bool has_rare_ = false;
  std::byte stand_in_{};  // the first of the rare
};

}  // namespace bloomery::bits
