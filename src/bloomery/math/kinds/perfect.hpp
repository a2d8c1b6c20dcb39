// Minimal perfect hashing by buckets and pilots: how large the parts are.
//
// Purpose:   keys fall into buckets, small ones and a few large; each bucket has a pilot of eight bits
//            that sends its keys to slots no other key has. There are a hundredth, and five, more slots
//            than keys; those past the end are sent to what is free before it.
// Cost:      8/3.5 bits a key for the pilots and log2(n)/100 for the slots past the end: 2.43 at ten
//            thousand keys, 2.5 at a million, 2.6 at a billion. 1.44 is the least possible.
// Guarantee: sizes are as stored, padding apart. That pilots are found is measured, not proven:
//            bits/table/perfect_hash_test.cpp.
// Citation:  buckets and pilots: Belazzougui, Botelho, Dietzfelbinger 2009; Pibiri, Trani 2021. Pilots
//            of a byte, found by evicting: Groot Koerkamp, PtrHash 2025.
//
//     const auto size = bloomery::math::perfect_layout(1'000'000);
//     assert(size.slots == 1'010'005 && size.bits() < 2'500'000);
#pragma once

#include <cstdint>

namespace bloomery::math {

// So that the number of a bucket fits into 32 bits.
inline constexpr std::uint64_t max_perfect_keys = std::uint64_t{1} << 33;

// With 3.8 instead of 3.5 keys a bucket, or fewer slots, pilots are found only after many evictions.
inline constexpr std::uint64_t keys_of_two_buckets = 7;
inline constexpr std::uint64_t keys_per_spare_slot = 100;
inline constexpr std::uint64_t fewest_spare_slots = 5;  // sets of a hundred keys are slow without

struct perfect_size {
  std::uint64_t keys;
  std::uint64_t buckets;
  std::uint64_t slots;
  unsigned spare_bits;  // that name a slot before the end

  [[nodiscard]] std::uint64_t bits() const { return 8 * buckets + (slots - keys) * spare_bits; }
};

// Of 1 to max_perfect_keys keys, or errc::invalid.
perfect_size perfect_layout(std::uint64_t keys);

}  // namespace bloomery::math
