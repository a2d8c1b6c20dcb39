// A batch over memory that is not in the cache: ask for the lines of one group of keys while working
// on those of the group before.
//
// Purpose:   every batch operation of every structure. prepare(i, slot) works out where key i lies,
//            notes it in the slot and prefetches; act(first, slots) comes a group later.
// Cost:      two groups of slots on the stack.
// Guarantee: keys are prepared in order, and acted on in order.
//
//     std::uint64_t sum = 0;
//     bloomery::pipelined<4, std::uint64_t>(
//         10, [](std::size_t i, std::uint64_t& slot) { slot = i; },
//         [&](std::size_t, std::span<const std::uint64_t> group) { for (auto i : group) sum += i; });
//     assert(sum == 45);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace bloomery {

template <std::size_t group, class Slot, class Prepare, class Act>
void pipelined(std::size_t count, Prepare prepare, Act act) {
  std::array<std::array<Slot, group>, 2> slots;
  const auto size_at = [&](std::size_t first) { return std::min(group, count - first); };
  const auto prepare_group = [&](std::size_t first, Slot* into) {
    const std::size_t size = size_at(first);
    for (std::size_t i = 0; i < size; ++i) prepare(first + i, into[i]);
  };
  if (count == 0) return;
  prepare_group(0, slots[0].data());
  for (std::size_t first = 0, now = 0; first < count; first += group, now ^= 1) {
    if (count - first > group) prepare_group(first + group, slots[now ^ 1].data());
    act(first, std::span<const Slot>(slots[now].data(), size_at(first)));
  }
}

}  // namespace bloomery
