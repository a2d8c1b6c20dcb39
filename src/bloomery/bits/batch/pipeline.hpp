// A batch over memory that is not in the cache: ask for the lines of one group of keys while working
// on those of the group before.
//
// Purpose:   every batch operation of every structure. prepare(first, slots) works out where the keys
//            from `first` lie, one a slot, notes it and prefetches; act(first, slots) comes a group
//            later.
// Cost:      two groups of slots on the stack.
// Guarantee: keys are prepared in order, and acted on in order.
//
//     std::uint64_t sum = 0;
//     bloomery::bits::pipelined<4, std::uint64_t>(
//         10, [](std::size_t i, std::span<std::uint64_t> group) { for (auto& n : group) n = i++; },
//         [&](std::size_t, std::span<const std::uint64_t> group) { for (auto n : group) sum += n; });
//     assert(sum == 45);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace bloomery::bits {

template <std::size_t group, class Slot, class Prepare, class Act>
void pipelined(std::size_t count, Prepare prepare, Act act) {
  if (count == 0) return;
  std::array<std::array<Slot, group>, 2> slots;
  const auto slots_at = [&](std::size_t first, std::size_t which) {
    return std::span<Slot>(slots[which].data(), std::min(group, count - first));
  };
  prepare(0, slots_at(0, 0));
  for (std::size_t first = 0, now = 0; first < count; first += group, now ^= 1) {
    if (count - first > group) prepare(first + group, slots_at(first + group, now ^ 1));
    act(first, std::span<const Slot>(slots_at(first, now)));
  }
}

}  // namespace bloomery::bits
