// Small counters of 1 to 16 bits that stick when full.
//
// Purpose:   the cells of counting structures. A counter that reached its maximum has lost count,
//            so it stays there: neither increment nor decrement moves it again (Tarkoma's Algorithm
//            4 and Broder–Mitzenmacher's advice both get this wrong).
// Guarantee: a counter never wraps and never goes below zero; both are reported, not hidden. Call
//            require_writable before changing an array that may be a view.
//
//     bloomery::bits::counter_array counters(8, 4);
//     assert(counters.increment(3) && counters.get(3) == 1);
//     assert(counters.decrement(3) && counters.get(3) == 0);
//     assert(!counters.decrement(3));
#pragma once

#include <bit>

#include "bloomery/bits/array/counter_words.hpp"
#include "bloomery/bits/array/packed_array.hpp"

namespace bloomery::bits {

class counter_array {
 public:
  static constexpr unsigned max_width = 16;

  counter_array(std::uint64_t counters, unsigned width);
  counter_array(std::uint64_t counters, unsigned width, storage stored);

  [[nodiscard]] std::uint64_t size() const { return cells_.size(); }
  [[nodiscard]] unsigned width() const { return cells_.width(); }
  [[nodiscard]] std::uint64_t max_value() const { return cells_.max_value(); }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const { return cells_.get(i); }

  // False if the counter was stuck at its maximum already.
  bool increment(std::uint64_t i) {
    const std::uint64_t value = get(i);
    if (value == max_value()) return false;
    cells_.set(i, value + 1);
    return true;
  }

  // False if the counter was stuck at its maximum, or was zero: then somebody removed what was
  // never added.
  bool decrement(std::uint64_t i) {
    const std::uint64_t value = get(i);
    if (value == max_value() || value == 0) return false;
    cells_.set(i, value - 1);
    return true;
  }

  // Adds what another counter holds; stuck if that is too much.
  void add(std::uint64_t i, std::uint64_t more) {
    const std::uint64_t value = get(i);
    cells_.set(i, more < max_value() - value ? value + more : max_value());
  }

  void set(std::uint64_t i, std::uint64_t value) { cells_.set(i, value); }

  [[nodiscard]] std::uint64_t count(std::uint64_t value) const;  // of this value; a pass over all
  [[nodiscard]] std::uint64_t zeros() const { return count(0); }
  [[nodiscard]] std::uint64_t stuck() const { return count(max_value()); }

  // For kernels: a counter lies within one word.
  [[nodiscard]] bool by_word() const { return std::has_single_bit(width()); }
  // Of an array with by_word(). Only what is writable may be written to.
  [[nodiscard]] counter_words words() const {
    return {const_cast<std::uint64_t*>(cells_.words()),
            static_cast<unsigned>(std::countr_zero(width()))};
  }

  void prefetch(std::uint64_t i) const { cells_.prefetch(i); }
  void require_writable() { cells_.require_writable(); }
  [[nodiscard]] byte_view bytes() const { return cells_.bytes(); }

 private:
  packed_array cells_;
};

}  // namespace bloomery::bits
