// Counters of which each lies within one word, for kernels and for single keys.
//
// Purpose:   what a counter_array of 1, 2, 4, 8 … bits a counter is to code that cannot afford cells across two
//            words.
// Cost:      a load, a shift and a mask.
// Guarantee: the same counters as counter_array's. A view: the words must outlive it.
//
//     std::array<std::uint64_t, 2> words{};
//     const bloomery::bits::counter_words counters{words.data(), 2};  // 4 bits each
//     counters.change(17, 3);
//     assert(counters.get(17) == 3 && counters.get(16) == 0 && counters.most() == 15);
#pragma once

#include <cstdint>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

// Counters side by side in 64-bit little-endian words, 2^log2_width bits each.
struct counter_words {
  std::uint64_t* words;  // only read by `get`
  unsigned log2_width;

  [[nodiscard]] unsigned cells_a_word_log2() const { return 6 - log2_width; }
  [[nodiscard]] std::uint64_t most() const {
    return ~std::uint64_t{0} >> (64 - (1U << log2_width));
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t at) const {
    return core::little_endian(words[at >> cells_a_word_log2()]) >> shift_of(at) & most();
  }
  // Adds to a counter what leaves it within its width.
  void change(std::uint64_t at, std::uint64_t by) const {
    std::uint64_t& word = words[at >> cells_a_word_log2()];
    word = core::little_endian(core::little_endian(word) + (by << shift_of(at)));
  }

 private:
  [[nodiscard]] unsigned shift_of(std::uint64_t at) const {
    return static_cast<unsigned>(at << log2_width) % 64;
  }
};

}  // namespace bloomery::bits
