// Semi-sorted cuckoo tables: cuckoo tables of four entries a bucket, less a bit for each.
//
// Purpose:   the order of a bucket's entries says nothing. Sorted by their first four bits, these are one of
//            3876 sequences of four numbers: 12 bits instead of 16.
// Cost:      as cuckoo.hpp.
// Guarantee: rate and capacity are those of the cuckoo table with the same fingerprints, exactly: which
//            fingerprints a bucket holds is the same, only how they are written down is not.
// Citation:  Fan et al. 2014, section 5.2.
//
//     static_assert(bloomery::math::sorted_cuckoo_size{1 << 20, 13}.bucket_bits() == 48);
//     const auto size = bloomery::math::plan_sorted_cuckoo(1'000'000, 0.001);
//     assert(size.fingerprint_bits == 13 && size.buckets * size.bucket_bits() < 12'640'000);
//     assert(bloomery::math::sorted_cuckoo_rate(size, 1'000'000) <= 0.001);
#pragma once

#include <cstdint>

#include "bloomery/math/kinds/cuckoo.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t sorted_entries = 4;
inline constexpr std::uint64_t sorted_sequences = 3876;
inline constexpr std::uint64_t spared_by_sorting = 4;           // bits of a bucket
inline constexpr std::uint64_t min_sorted_fingerprint = 4 + 1;  // four bits sorted, one not

struct sorted_cuckoo_size {
  std::uint64_t buckets;
  std::uint64_t fingerprint_bits;

  [[nodiscard]] constexpr std::uint64_t bucket_bits() const {
    return sorted_entries * fingerprint_bits - spared_by_sorting;
  }
  // The table that is not sorted.
  [[nodiscard]] constexpr cuckoo_size plain() const {
    return {buckets, sorted_entries, fingerprint_bits};
  }
};

double sorted_cuckoo_rate(const sorted_cuckoo_size& size, std::uint64_t keys);
std::uint64_t sorted_cuckoo_capacity(const sorted_cuckoo_size& size);

// The fewest bits for this many keys at or under the rate.
sorted_cuckoo_size plan_sorted_cuckoo(std::uint64_t keys, double rate);

}  // namespace bloomery::math
