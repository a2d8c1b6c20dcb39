// Room for a fingerprint whose two buckets are full: others move to their other bucket.
//
// Purpose:   for tables in which each fingerprint may lie in two buckets. Table offers
//            has_room(bucket), each(bucket, visit), which calls visit(slot, the other bucket of what is
//            there) for a full one, prefetch(bucket), put(bucket, print), where there is room, and
//            print = take(bucket, slot).
// Cost:      looks into math::cuckoo_visits buckets at most.
// Guarantee: false, and nothing has moved, if there is no way to a bucket with room.
//
//     auto full = bloomery::cuckoo_filter({2, 4, 12});
//     for (std::uint64_t i = 0; i < 8; ++i) full.insert({0, i << 60});
//     try {
//       full.insert({1, 2});
//       assert(false);
//     } catch (const bloomery::error&) {
//       assert(full.record().items == 8);
//     }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/math/kinds/cuckoo.hpp"

namespace bloomery::detail {

// Looks, breadth first, for the nearest bucket with a free entry, by way of what the full ones hold;
// then moves each fingerprint on the way to its other bucket, the last first. Nothing moves before a
// way is found. The shortest way meets no bucket twice: what a second visit leads to, the first did.
template <class Table>
bool put_by_moving(const Table& table, std::uint64_t first, std::uint64_t second,
                   std::uint64_t print) {
  struct visit {
    std::uint64_t bucket;
    std::size_t parent;  // where the fingerprint is that would move here
    unsigned slot;
  };
  constexpr std::size_t most = math::cuckoo_visits;
  constexpr std::size_t waiting =
      8;  // that are on their way from memory: no more than needed is asked for
  std::array<visit, most> visits;  // NOLINT(cppcoreguidelines-pro-type-member-init): a queue
  visits[0] = {first, 0, 0};
  visits[1] = {second, 1, 0};
  std::size_t end = 2;
  std::size_t next = 0;  // of those found full, the one whose fingerprints have not been followed
  for (std::size_t i = 0; i < end; ++i) {
    if (!table.has_room(visits[i].bucket)) {
      for (; next <= i && end - i <= waiting && end < most; ++next) {
        table.each(visits[next].bucket, [&](unsigned slot, std::uint64_t other) {
          if (end == most) return;
          visits[end++] = {other, next, slot};
          table.prefetch(other);
        });
      }
      continue;
    }
    for (; i > 1; i = visits[i].parent) {
      table.put(visits[i].bucket, table.take(visits[visits[i].parent].bucket, visits[i].slot));
    }
    table.put(visits[i].bucket, print);
    return true;
  }
  return false;
}

[[noreturn]] inline void refuse_without_room(const math::cuckoo_size& size) {
  fail(errc::limit, "no room for the key: its two buckets and " +
                        std::to_string(math::cuckoo_visits - 2) +
                        " that their fingerprints could move to are full; the filter takes " +
                        std::to_string(math::cuckoo_capacity(size)) + " distinct keys, and " +
                        std::to_string(2 * size.entries) + " copies of one");
}

}  // namespace bloomery::detail
