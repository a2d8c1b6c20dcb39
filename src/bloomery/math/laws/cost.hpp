// How many cache lines a query touches: what it costs once a filter outgrows the cache.
//
// Purpose:   compare kinds by the memory traffic of one query, absent keys apart from present ones.
// Guarantee: expected values for one query at a time that stops at the first zero bit; lines of
//            core's cache_line_bytes. An absent key stops early, a present one never.
// Citation:  the stopping rule is Broder–Mitzenmacher §2.1's fill, geometric in the probes.
//
//     const auto cost = bloomery::math::uniform_cost(1 << 30, 100'000'000, 7);
//     assert(6.99 < cost.present && cost.present <= 7);
//     assert(1.8 < cost.absent && cost.absent < 2.1);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct query_cost {
  double absent;
  double present;
};

inline constexpr query_cost one_line_cost{1, 1};

// Of m cells of `width` bits, of which a query stops at the first that is empty.
query_cost uniform_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t width = 1);
// The same, given the bits in all and the share `fill` of cells that are not empty.
query_cost filled_cost(double fill, std::uint64_t bits, std::uint64_t k);
query_cost partitioned_cost(std::uint64_t slice, std::uint64_t n, std::uint64_t k,
                            std::uint64_t width = 1);

// Reads `choices` whole buckets, absent or present alike; they are packed, so that some straddle.
query_cost bucket_cost(std::uint64_t buckets, std::uint64_t bucket_bits, std::uint64_t choices);

}  // namespace bloomery::math
