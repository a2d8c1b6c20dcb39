// The few numbers that a structure keeps beside its cells: stages, clocks, overflows.
//
// Purpose:   64-bit words in whole cache lines, stored in front of the cells and restored with them.
// Guarantee: stored bytes are checked for length and clean padding; what the words may be is for the
//            structure to check.
//
//     bloomery::bits::ledger numbers(3);
//     numbers.set(2, 40);
//     numbers.add(2, 2);
//     assert(numbers.get(2) == 42 && numbers.bytes().size() == 64);
#pragma once

#include <cassert>
#include <cstdint>

#include "bloomery/bits/memory/storage.hpp"

namespace bloomery::bits {

class ledger {
 public:
  explicit ledger(std::uint64_t words)
      : stored_(storage::allocate(stored_bytes(words))), words_(words) {}
  ledger(std::uint64_t words, storage stored);
  static std::uint64_t stored_bytes(std::uint64_t words);

  [[nodiscard]] std::uint64_t size() const { return words_; }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const {
    assert(i < words_);
    return core::load_le<std::uint64_t>(stored_.bytes().data() + 8 * i);
  }
  void set(std::uint64_t i, std::uint64_t value) {
    assert(i < words_ && stored_.writable());
    core::store_le(stored_.bytes_for_writing().data() + 8 * i, value);
  }
  void add(std::uint64_t i, std::uint64_t more) { set(i, get(i) + more); }

  void require_writable() { (void)stored_.bytes_for_writing(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

 private:
  storage stored_;
  std::uint64_t words_;
};

}  // namespace bloomery::bits
