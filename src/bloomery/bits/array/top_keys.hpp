// The keys that occurred most, with their counts and, where known, their names.
//
// Purpose:   the heavy hitters beside a sketch that can count but not list. Entries of 128 bytes in
//            order of digest, so that equal lists are equal bytes: digest 16, count 8, 1 + length of
//            the label (its high bit: cut short), label 103.
// Cost:      a look at one number for a key too rare to matter, a binary search for one that is
//            listed, a pass over the list for one that enters.
// Guarantee: counts offered for a key never fall. The least count of a full list never falls either:
//            so a key whose last offer was above it is listed. No allocation after construction.
//            Stored bytes are checked for length, order, counts, labels and clean padding.
//
//     bloomery::bits::top_keys most(2);
//     most.offer({1, 1}, 5);
//     most.offer({2, 2}, 7);
//     most.offer({3, 3}, 6);  // drives out the first
//     assert(most.size() == 2 && most.find({1, 1}) == most.size());
//     most.label(most.find({2, 2}), "two");
//     assert(most.label(most.find({2, 2})) == "two" && most.count(most.find({2, 2})) == 7);
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery::bits {

class top_keys {
 public:
  static constexpr std::uint64_t entry_bytes = 128;
  static constexpr std::uint64_t max_label = 103;

  explicit top_keys(std::uint64_t capacity);
  top_keys(std::uint64_t capacity, storage stored);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t find(digest wanted) const;  // size() if it is not listed

  [[nodiscard]] digest key(std::uint64_t i) const { return {word(i, 0), word(i, 8)}; }
  [[nodiscard]] std::uint64_t count(std::uint64_t i) const { return word(i, 16); }
  [[nodiscard]] bool labelled(std::uint64_t i) const { return mark(i) != 0; }
  [[nodiscard]] std::string label(std::uint64_t i) const;  // "…" at the end of one that was cut

  // The key occurred again, and its count, not 0, is now this.
  void offer(digest key, std::uint64_t count) {
    if (count <= floor_) return;  // neither listed with less, nor enough to enter
    settle(key, count);
  }
  void label(std::uint64_t i, std::string_view name);
  // Takes over the label that `other` has for its entry j, if entry i has none.
  void adopt_label(std::uint64_t i, const top_keys& other, std::uint64_t j);
  void clear();

  void require_writable() { (void)stored_.bytes_for_writing(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

 private:
  [[nodiscard]] const std::byte* entry(std::uint64_t i) const {
    return stored_.bytes().data() + i * entry_bytes;
  }
  [[nodiscard]] std::byte* entry(std::uint64_t i) {
    assert(stored_.writable());
    return stored_.bytes_for_writing().data() + i * entry_bytes;
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t i, std::uint64_t offset) const {
    return core::load_le<std::uint64_t>(entry(i) + offset);
  }
  [[nodiscard]] std::uint8_t mark(std::uint64_t i) const {
    return static_cast<std::uint8_t>(entry(i)[24]);
  }
  [[nodiscard]] std::uint64_t lower_bound(digest wanted) const;
  [[nodiscard]] std::uint64_t least() const;
  void check() const;
  void settle(digest wanted, std::uint64_t count_now);

  storage stored_;
  std::uint64_t capacity_;
  std::uint64_t size_ = 0;
  std::uint64_t floor_ = 0;  // no more than the least count of a full list; without room all
};

}  // namespace bloomery::bits
