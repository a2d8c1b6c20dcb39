// Lines of 64 bytes for those few owners, of many, that need some: a table sorted by owner, with gaps.
//
// Purpose:   what does not fit where it belongs. Owners are numbers below `owners`; one may have several
//            lines, which lie in the order in which it got them.
// Layout:    slot ⌊owner·slots/owners⌋ is an owner's home; its lines lie there or, as in linear probing, in
//            the first slots behind it, round the end, such that owners stand in the order of their homes
//            and of their numbers. So the table depends on who has how many lines and on nothing else.
// Cost:      72 bytes a slot. Finding, adding and dropping a line walk to the next free slot: a few while
//            a quarter of them is free.
// Guarantee: `add` fails only when no slot is free. Stored bytes are checked: every line is where it would
//            have been put, and free ones are zero.
// Citation:  Robin Hood hashing: Celis, Larson, Munro 1985; that it has one layout: Blelloch, Golovin 2007.
//
//     bloomery::bits::spill_lines spill(4, 1000);
//     assert(spill.of(7).count == 0 && spill.add(7) && spill.add(7) && spill.of(7).count == 2);
//     spill.line(spill.of(7), 1)[0] = 5;
//     spill.drop(7);
//     assert(spill.of(7).count == 1 && spill.used() == 1);
#pragma once

#include <cstdint>

#include "bloomery/bits/memory/storage.hpp"

namespace bloomery::bits {

class spill_lines {
 public:
  spill_lines(std::uint64_t slots, std::uint64_t owners);
  spill_lines(std::uint64_t slots, std::uint64_t owners, storage stored);
  static std::uint64_t stored_bytes(std::uint64_t slots);

  [[nodiscard]] std::uint64_t slots() const { return slots_; }
  [[nodiscard]] std::uint64_t used() const { return used_; }

  // The lines of one owner, in slots that follow each other.
  struct run {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  [[nodiscard]] run of(std::uint64_t owner) const;
  [[nodiscard]] const std::uint64_t* line(const run& lines, std::uint64_t i) const;
  [[nodiscard]] std::uint64_t* line(const run& lines, std::uint64_t i);

  bool add(std::uint64_t owner);   // one more, all zero, behind the others; false if none is free
  void drop(std::uint64_t owner);  // its last one, which it must have

  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.owners_of_slots_);
    visit(self.lines_);
  }

 private:
  // In the index, one more than the owner, or 0 for a free slot.
  [[nodiscard]] std::uint64_t entry(std::uint64_t slot) const;
  void set_entry(std::uint64_t slot, std::uint64_t entry);
  [[nodiscard]] std::uint64_t* line_at(std::uint64_t slot);
  void move(std::uint64_t from, std::uint64_t to);
  [[nodiscard]] std::uint64_t next(std::uint64_t slot) const {
    return slot + 1 == slots_ ? 0 : slot + 1;
  }
  [[nodiscard]] std::uint64_t home(std::uint64_t owner) const;
  // How far behind its home the slot's line lies.
  [[nodiscard]] std::uint64_t distance(std::uint64_t slot) const;
  // The first slot from the owner's home on that is free, the owner's or a later one's; `past` its own.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t owner, bool past) const;
  void check() const;

  std::uint64_t slots_;
  std::uint64_t owners_;
  std::uint64_t used_ = 0;
  storage owners_of_slots_;
  storage lines_;
};

}  // namespace bloomery::bits
