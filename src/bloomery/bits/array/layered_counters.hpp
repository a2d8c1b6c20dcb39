// Counters without a limit, in about one bit each and one for every increment.
//
// Purpose:   the cells of the multilayer counting filter. Counter φ is coded as φ ones and a zero, one
//            in each layer: layer 0 is a bit array that says which counters are not zero, and a
//            counter's bit in layer j + 1 stands at the rank of its one in layer j.
// Layout:    layers are cut into segments of 512 counters, whose layers above 0 lie one after another
//            in as many bits as the segment has had increments; 64 segments share a bit string. So a
//            change shifts one string, some 350 words at half fill, and a rank is a count over the
//            bits of one segment. Where segments end is kept in memory, 32 bits each, and not stored.
// Cost:      m·(1 + increments per counter) bits, and a fifteenth for tables in memory. Testing reads one
//            bit; incrementing and decrementing take time in proportion to the string, and a counter's
//            height beyond its neighbours' counts little.
// Guarantee: exact, whatever the height (2^32 increments in one string, years away, throw
//            errc::limit). Stored bytes are checked: each layer is as long as the one below has ones.
// Citation:  Ficara, Di Pietro, Giordano, Procissi, Vitucci 2010 (ML-CCBF); the segments are ours.
//
//     bloomery::bits::layered_counters counters(1000);
//     for (int i = 0; i < 100; ++i) counters.increment(7);
//     assert(counters.get(7) == 100 && counters.test(7) && !counters.test(8));
//     assert(counters.decrement(7) && counters.get(7) == 99 && !counters.decrement(8));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/bit_string.hpp"

namespace bloomery::bits {

class layered_counters {
 public:
  static constexpr std::uint64_t segment_counters = 512;
  static constexpr std::uint64_t segments_a_string = 64;
  static constexpr std::uint64_t string_counters = segment_counters * segments_a_string;

  explicit layered_counters(std::uint64_t counters);
  layered_counters(std::uint64_t counters, storage stored);

  [[nodiscard]] std::uint64_t size() const { return lowest_.size(); }
  [[nodiscard]] bool test(std::uint64_t i) const { return lowest_.test(i); }  // not zero
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const { return find(i).height; }
  void increment(std::uint64_t i);
  bool decrement(std::uint64_t i);  // false, and no change, if it is zero
  // Of as many counters, one by one; takes a pass over both.
  [[nodiscard]] layered_counters sum(const layered_counters& other) const;
  [[nodiscard]] const bit_array& lowest() const { return lowest_; }

  void prefetch(std::uint64_t i) const { lowest_.prefetch(i); }
  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.lowest_);
    for (auto& bits : self.strings_) {
      if (bits.size() != 0) visit(bits);
    }
  }
  // Of the payload, when each counter has had `load` increments on average.
  static std::uint64_t expected_bytes(std::uint64_t counters, double load);

 private:
  // Where counter i ends, by bits of its string.
  struct spot {
    std::uint64_t height;
    std::uint64_t last_one;  // if there is one above layer 0: height > 1
    std::uint64_t zero;      // if that is above layer 0: height > 0
    std::uint64_t above;     // where the next layer's bit goes if that zero becomes a one
  };
  [[nodiscard]] spot find(std::uint64_t i) const;
  [[nodiscard]] std::uint64_t start_of(std::uint64_t segment) const {
    return segment % segments_a_string == 0 ? 0 : ends_[segment - 1];
  }
  // The string of counter i and all segments from its own on get longer, or shorter.
  bit_string& string_of(std::uint64_t i) { return strings_[i / string_counters]; }
  void move_ends(std::uint64_t i, std::uint32_t by);
  void add_heights(std::uint64_t string, std::span<std::uint64_t> heights) const;
  void set_heights(std::uint64_t string, std::span<const std::uint64_t> heights);  // from all 0

  bit_array lowest_;
  std::vector<bit_string> strings_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace bloomery::bits
