#include "bloomery/bits/array/spill_lines.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t words_a_line = cache_line_bytes / sizeof(std::uint64_t);

std::uint64_t index_bytes(std::uint64_t slots) {
  return (slots + words_a_line - 1) / words_a_line * cache_line_bytes;
}

std::uint64_t checked_slots(std::uint64_t slots) {
  constexpr std::uint64_t most = max_bits / cache_line_bits / 2;
  if (slots < 1 || slots > most) {
    fail(errc::limit,
         std::to_string(slots) + " lines to spill to; allowed: 1 to " + std::to_string(most));
  }
  return slots;
}

}  // namespace

spill_lines::spill_lines(std::uint64_t slots, std::uint64_t owners)
    : slots_(checked_slots(slots)),
      owners_(owners),
      owners_of_slots_(storage::allocate(index_bytes(slots))),
      lines_(storage::allocate(slots * cache_line_bytes)) {}

spill_lines::spill_lines(std::uint64_t slots, std::uint64_t owners, storage stored)
    : slots_(checked_slots(slots)), owners_(owners) {
  owners_of_slots_ = stored.take_stored(index_bytes(slots));
  lines_ = stored.take_stored(slots * cache_line_bytes);
  if (stored.size() != 0) {
    fail(errc::corrupt, std::to_string(stored.size()) + " bytes are left after the last line");
  }
  for (std::uint64_t slot = 0; slot < slots_; ++slot) used_ += std::uint64_t{entry(slot) != 0};
  check();
}

std::uint64_t spill_lines::stored_bytes(std::uint64_t slots) {
  return index_bytes(slots) + slots * cache_line_bytes;
}

std::uint64_t spill_lines::entry(std::uint64_t slot) const {
  return core::little_endian(owners_of_slots_.words<std::uint64_t>()[slot]);
}

void spill_lines::set_entry(std::uint64_t slot, std::uint64_t entry) {
  assert(owners_of_slots_.writable());
  const_cast<std::uint64_t*>(owners_of_slots_.words<std::uint64_t>())[slot] =
      core::little_endian(entry);
}

std::uint64_t* spill_lines::line_at(std::uint64_t slot) {
  assert(lines_.writable());
  return const_cast<std::uint64_t*>(lines_.words<std::uint64_t>()) + slot * words_a_line;
}

const std::uint64_t* spill_lines::line(const run& lines, std::uint64_t i) const {
  assert(i < lines.count);
  const std::uint64_t slot = lines.first + i;
  return lines_.words<std::uint64_t>() + (slot < slots_ ? slot : slot - slots_) * words_a_line;
}

std::uint64_t* spill_lines::line(const run& lines, std::uint64_t i) {
  assert(lines_.writable());
  return const_cast<std::uint64_t*>(std::as_const(*this).line(lines, i));
}

void spill_lines::move(std::uint64_t from, std::uint64_t to) {
  set_entry(to, entry(from));
  std::copy_n(line_at(from), words_a_line, line_at(to));
}

std::uint64_t spill_lines::home(std::uint64_t owner) const {
  return static_cast<std::uint64_t>(static_cast<core::uint128>(owner) * slots_ / owners_);
}

std::uint64_t spill_lines::distance(std::uint64_t slot) const {
  const std::uint64_t from = home(entry(slot) - 1);
  return slot >= from ? slot - from : slot + slots_ - from;
}

std::uint64_t spill_lines::place_of(std::uint64_t owner, bool past) const {
  std::uint64_t slot = home(owner);
  for (std::uint64_t walked = 0; walked < slots_; ++walked, slot = next(slot)) {
    const std::uint64_t there = entry(slot);
    if (there == 0) break;
    const std::uint64_t its = distance(slot);
    if (its < walked) break;
    if (its == walked && (past ? there - 1 > owner : there - 1 >= owner)) break;
  }
  return slot;
}

spill_lines::run spill_lines::of(std::uint64_t owner) const {
  assert(owner < owners_);
  run lines{place_of(owner, false), 0};
  for (std::uint64_t slot = lines.first; lines.count < slots_ && entry(slot) == owner + 1;
       slot = next(slot)) {
    ++lines.count;
  }
  return lines;
}

bool spill_lines::add(std::uint64_t owner) {
  assert(owner < owners_);
  if (used_ == slots_) return false;
  const std::uint64_t place = place_of(owner, true);
  std::uint64_t free = place;
  while (entry(free) != 0) free = next(free);
  while (free != place) {
    const std::uint64_t before = free == 0 ? slots_ - 1 : free - 1;
    move(before, free);
    free = before;
  }
  set_entry(place, owner + 1);
  std::fill_n(line_at(place), words_a_line, 0);
  ++used_;
  return true;
}

void spill_lines::drop(std::uint64_t owner) {
  const run lines = of(owner);
  assert(lines.count != 0);
  std::uint64_t hole = lines.first + lines.count - 1;
  if (hole >= slots_) hole -= slots_;
  for (std::uint64_t behind = next(hole); entry(behind) != 0 && distance(behind) != 0;
       behind = next(behind)) {
    move(behind, hole);
    hole = behind;
  }
  set_entry(hole, 0);
  std::fill_n(line_at(hole), words_a_line, 0);
  --used_;
}

void spill_lines::check() const {
  const auto refuse = [](std::uint64_t slot, std::string_view what) {
    fail(errc::corrupt, "spilled line " + std::to_string(slot) + " " + std::string(what));
  };
  bool one_is_home = used_ == 0;
  for (std::uint64_t slot = 0; slot < slots_; ++slot) {
    const std::uint64_t* const words = lines_.words<std::uint64_t>() + slot * words_a_line;
    if (entry(slot) == 0) {
      if (std::any_of(words, words + words_a_line, [](std::uint64_t w) { return w != 0; })) {
        refuse(slot, "is nobody's and not empty");
      }
      continue;
    }
    if (entry(slot) > owners_) {
      refuse(slot,
             "is of line " + std::to_string(entry(slot) - 1) + " of " + std::to_string(owners_));
    }
  }
  for (std::uint64_t slot = 0; slot < slots_; ++slot) {
    if (entry(slot) == 0) continue;
    const std::uint64_t its = distance(slot);
    one_is_home |= its == 0;
    if (its == 0) continue;
    const std::uint64_t before = slot == 0 ? slots_ - 1 : slot - 1;
    if (entry(before) == 0 || distance(before) + 1 < its ||
        (distance(before) + 1 == its && entry(before) > entry(slot))) {
      refuse(slot, "is out of its place");
    }
  }
  if (!one_is_home) refuse(0, "and all others are out of their places");
  const auto* const index = owners_of_slots_.words<std::uint64_t>();
  if (std::any_of(index + slots_, index + index_bytes(slots_) / sizeof(std::uint64_t),
                  [](std::uint64_t w) { return w != 0; })) {
    fail(errc::corrupt, "the padding behind the owners of spilled lines is not zero");
  }
}

}  // namespace bloomery::bits
