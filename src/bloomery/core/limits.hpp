// The ranges Bloomery accepts, stated once.
#pragma once

#include <cstdint>

namespace bloomery {

// 32 TiB of cells: far beyond any machine today, and small enough that a bit index times any cell
// width, rounded up to a cache line, stays below 2^63.
inline constexpr std::uint64_t max_bits = std::uint64_t{1} << 48;
inline constexpr std::uint64_t max_hashes = 64;
inline constexpr std::uint64_t max_keys = std::uint64_t{1} << 48;
// The lowest rate that can be promised. Blocked positions come from half a digest, so that two keys
// of one block are mistaken for each other once in 2^64: some 1e-17 for the few hundred in it, which
// no formula for ideal positions shows.
inline constexpr double min_rate = 1e-15;
// Counts of insertions stop here when stored or added up; no machine lives to count from here to
// 2^64, so none can wrap.
inline constexpr std::uint64_t max_items = std::uint64_t{1} << 62;

inline constexpr std::uint64_t cache_line_bytes = 64;
inline constexpr std::uint64_t cache_line_bits = 8 * cache_line_bytes;

}  // namespace bloomery
