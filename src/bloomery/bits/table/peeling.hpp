// Peeling: gives every key a slot of its own, in an order that lets a table be written slot by slot.
//
// Purpose:   FIND_MATCH of the Bloomier filter, and the solving of binary fuse tables. A slot that
//            only one key has is given to that key; without that key other slots have only one key
//            left, and so on. In the reverse order, the slot of a key is not among the slots of the
//            keys before it, so that setting it spoils nothing.
// Cost:      linear: each key's slots are asked for twice. Beside the slots, eight bytes for each one
//            that is looked at at a time.
// Guarantee: the order depends on the slots of the keys, not on the keys themselves. Some keys have no
//            slot to themselves at the end where peeling cannot succeed; keys that have the same slots
//            always end so.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004, Fig. 1; in linear time by
//            the exclusive or of the keys in a slot, Molloy 2005.
//
//     const std::vector<bloomery::digest> keys{{0, 1}, {1, 2}, {2, 3}};
//     const auto slots_of = [](bloomery::digest d) { return std::array{d.lo, d.hi}; };
//     const auto order = bloomery::bits::find_match(keys, 4, slots_of);
//     assert(order && order->size() == 3);
//     const std::vector<bloomery::digest> alike{{0, 1}, {0, 1}};
//     assert(!bloomery::bits::find_match(alike, 4, slots_of));
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/bits/memory/scratch.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery::bits {

struct slot_range {
  std::uint64_t begin;
  std::uint64_t end;
};

// One place from which slots are peeled; several may work on slots apart from each other.
//
// A Slot starts as zeros. add(key) and remove(key) keep the number of its keys, load(), and their
// exclusive or, which is only() once there is but one; after too many keys load() is 0. slots_of(key)
// lists the different slots of a key.
template <class Slot, class SlotsOf>
class peeling {
 public:
  // Saves a tenth of the time at 100 M keys.
  static constexpr std::uint64_t fetched_ahead = 8;

  peeling(std::span<Slot> slots, SlotsOf slots_of) : slots_(slots.data()), slots_of_(slots_of) {}

  // Puts key_at(0) to key_at(keys - 1) into their slots; false if one had room for no more.
  template <class KeyAt>
  bool count(std::uint64_t keys, KeyAt key_at) {
    const SlotsOf slots_of = slots_of_;
    Slot* const slots = slots_;
    bool fits = true;
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto key = key_at(i);
      for (const std::uint64_t slot : slots_of(key)) {
        slots[slot].add(key);
        fits &= slots[slot].load() != 0;
      }
    }
    return fits;
  }

  void find_single(slot_range among) {
    queue_.resize(std::max(queue_.size(), queued_ + (among.end - among.begin) + fetched_ahead));
    std::uint64_t* last = queue_.data() + queued_;
    const Slot* const slots = slots_;
    for (std::uint64_t slot = among.begin; slot < among.end; ++slot) {
      *last = slot;
      last += slots[slot].load() == 1 ? 1 : 0;
    }
    queued_ = static_cast<std::uint64_t>(last - queue_.data());
  }

  // Takes out the keys of the slots that were found and of those of `final` that become single by it;
  // all keys of these must have been counted. record(slot) is called for each in turn: it keeps its
  // key, as only().
  template <class Record>
  void peel(slot_range final, Record record) {
    const SlotsOf slots_of = slots_of_;
    const std::uint64_t final_slots = final.end - final.begin;
    Slot* const slots = slots_;
    std::uint64_t* queue = queue_.data();
    std::uint64_t queued = queued_;
    for (std::uint64_t done = 0; done < queued; ++done) {
      const std::uint64_t slot = queue[done];
      __builtin_prefetch(slots + queue[done + fetched_ahead], 1);
      const Slot single = slots[slot];
      if (single.load() == 0) continue;  // its key has gone by another slot
      const auto others = slots_of(single.only());
      if (queue_.size() < queued + others.size() + fetched_ahead) {
        queue_.resize(2 * queue_.size() + others.size());
        queue = queue_.data();
      }
      for (const std::uint64_t other : others) {
        slots[other].remove(single.only());
        queue[queued] = other;
        const bool found = slots[other].load() == 1;
        queued += std::uint64_t{found} & std::uint64_t{other - final.begin < final_slots};
      }
      slots[slot] = single;
      record(slot);
    }
    queued_ = 0;
  }

 private:
  Slot* slots_;
  SlotsOf slots_of_;
  std::vector<std::uint64_t> queue_;
  std::uint64_t queued_ = 0;
};

struct matched_key {
  std::uint64_t key;
  std::uint64_t slot;
};

// slots_of(key) lists the different slots of a key, each below `slots`.
template <class SlotsOf>
std::optional<std::vector<matched_key>> find_match(std::span<const digest> keys,
                                                   std::uint64_t slots, SlotsOf slots_of) {
  constexpr unsigned number_bits = 48;
  constexpr std::uint64_t one = max_keys;
  static_assert(one == std::uint64_t{1} << number_bits);
  struct numbered_key {
    digest key;
    std::uint64_t number;
  };
  struct numbered_slot {
    digest keys;
    std::uint64_t numbers;  // how many above their exclusive or

    void turn(const numbered_key& key) {
      keys = {keys.lo ^ key.key.lo, keys.hi ^ key.key.hi};
      numbers ^= key.number;
    }
    void add(const numbered_key& key) { turn(key), numbers += one; }
    void remove(const numbered_key& key) { turn(key), numbers -= one; }
    [[nodiscard]] std::uint64_t load() const { return numbers >> number_bits; }
    [[nodiscard]] numbered_key only() const { return {keys, numbers % one}; }
  };
  const auto slots_of_key = [&](const numbered_key& key) { return slots_of(key.key); };
  const scratch<numbered_slot> held(slots);
  peeling<numbered_slot, decltype(slots_of_key)> all(held.all(), slots_of_key);
  const bool fits = all.count(keys.size(), [&](std::uint64_t i) {
    return numbered_key{keys[i], i};
  });
  if (!fits) return std::nullopt;
  all.find_single({0, slots});
  std::vector<matched_key> order;
  order.reserve(keys.size());
  all.peel({0, slots}, [&](std::uint64_t slot) {
    order.push_back({held.all()[slot].only().number, slot});
  });
  if (order.size() != keys.size()) return std::nullopt;
  std::ranges::reverse(order);
  return order;
}

}  // namespace bloomery::bits
