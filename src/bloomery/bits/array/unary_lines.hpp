// A counter for each bit of lines of 512, in about one further bit for each increment.
//
// Purpose:   the cells of the succinct counting filter. The bits say which counters are not zero, and are all
//            that a query looks at. The counters lie in a second line of the same number.
// Layout:    a line is eight lanes of 64 bits. The counters of a lane's ones, in their order, are a string: φ
//            is coded as φ-1 zeros and a one. Its first 63 bits are in the lane of the second line. If
//            one of a line's strings is longer, bit 63 of each of its lanes is set, and the next 64 bits of all
//            eight are a line in a table (spill_lines.hpp), and so on.
//            To raise counter i is to insert a bit where its code begins: a one if it was zero, else a zero.
//            To lower it is to take that bit out. The code begins behind as many ones as there are counters
//            before it that are not zero. bits/batch/unary_line_kernels.hpp does this for lines that have
//            spilled nothing.
// Cost:      128 bytes a line and 72 for each line that can be spilled to; two lines a key.
// Guarantee: a counter ends at 127 and stays there. When nothing is left to spill to, a line freezes, forever:
//            its bits can be set and never cleared, and each counter of them is at its maximum. So no bit
//            is ever cleared too early. Stored bytes are checked: there are as many codes as ones.
// Citation:  Ficara, Di Pietro, Giordano, Procissi, Vitucci 2010 for one bit an increment at a rank; unary codes
//            by select: Elias 1974; one word for all counters of a word of bits: the rank-indexed hashing of
//            Hua, Zhao, Lin, Xu 2008. The layout is ours.
//
//     bloomery::bits::unary_lines lines(10, 2);
//     const bloomery::hash::line_pattern pattern(6);
//     assert(lines.raise(3, pattern, 12345) && !lines.raise(3, pattern, 12345));
//     assert(lines.count(3, pattern, 12345) == 2 && lines.bits().count() == 6);
//     assert(lines.lower(3, pattern, 12345) && lines.lower(3, pattern, 12345));
//     assert(lines.count(3, pattern, 12345) == 0 && lines.bits().count() == 0);
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/spill_lines.hpp"
#include "bloomery/hash/line_pattern.hpp"

namespace bloomery::bits {

class unary_lines {
 public:
  static constexpr std::uint64_t most = 127;  // that a counter holds
  static constexpr unsigned home_bits = 63;   // of a lane's string in its own line
  static constexpr std::uint64_t spilled = std::uint64_t{1} << home_bits;

  unary_lines(std::uint64_t lines, std::uint64_t spill);
  unary_lines(std::uint64_t lines, std::uint64_t spill, storage stored);
  static std::uint64_t stored_bytes(std::uint64_t lines, std::uint64_t spill);

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] const bit_array& bits() const { return bits_; }

  // What a key does, in any line. Raising says whether one of its counters was zero. Lowering says
  // whether it has changed anything: not if one is zero, or all are at their maximum.
  bool raise(std::uint64_t line, const hash::line_pattern& pattern, std::uint64_t key);
  bool lower(std::uint64_t line, const hash::line_pattern& pattern, std::uint64_t key);
  [[nodiscard]] std::uint64_t count(std::uint64_t line, const hash::line_pattern& pattern,
                                    std::uint64_t key) const;  // the least of its counters

  [[nodiscard]] std::uint64_t get(std::uint64_t line, unsigned lane, unsigned at) const;
  void merge(const unary_lines& other);       // adds counter by counter; the sizes must agree
  [[nodiscard]] std::uint64_t stuck() const;  // counters that stay forever; a pass over all
  [[nodiscard]] std::uint64_t spilled_lines() const { return spill_.used(); }

  // For kernels, as they lie in memory: eight words a line.
  [[nodiscard]] std::uint64_t* words() { return bits_.words(); }
  [[nodiscard]] std::uint64_t* codes();

  void prefetch(std::uint64_t line) const;
  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.bits_);
    visit(self.codes_);
    spill_lines::each_part(self.spill_, visit);
  }

 private:
  // A bit of a lane's string: which of its words, and where in that.
  struct spot {
    std::uint64_t word = 0;
    unsigned bit = 0;
  };
  using heights = std::array<std::uint64_t, hash::lane_bits>;

  [[nodiscard]] std::uint64_t ones(std::uint64_t line, unsigned lane) const;
  [[nodiscard]] bool flagged(std::uint64_t line) const;
  [[nodiscard]] bool frozen(std::uint64_t line) const {
    return flagged(line) && spill_.of(line).count == 0;
  }
  // The words of a lane's string, of which there is one more than lines spilled.
  [[nodiscard]] std::uint64_t code(std::uint64_t line, unsigned lane, const spill_lines::run& more,
                                   std::uint64_t word) const;
  void set_code(std::uint64_t line, unsigned lane, const spill_lines::run& more, std::uint64_t word,
                std::uint64_t code);
  [[nodiscard]] spot start_of(std::uint64_t line, unsigned lane, const spill_lines::run& more,
                              std::uint64_t rank) const;
  // From a spot to behind the next one; 0 if there is none.
  [[nodiscard]] std::uint64_t height_at(std::uint64_t line, unsigned lane,
                                        const spill_lines::run& more, spot at) const;
  void raise_one(std::uint64_t line, unsigned lane, unsigned at);
  void lower_one(std::uint64_t line, unsigned lane, unsigned at);
  bool spill(std::uint64_t line);  // one line more; false, and the line is frozen, if there is none
  void unspill(std::uint64_t line);
  void freeze(std::uint64_t line);
  [[nodiscard]] heights heights_of(std::uint64_t line, unsigned lane) const;
  void append(std::uint64_t line, unsigned lane, const heights& all);
  void check() const;
  void check_line(std::uint64_t line) const;

  std::uint64_t lines_;
  bit_array bits_;
  storage codes_;
  spill_lines spill_;
};

}  // namespace bloomery::bits
