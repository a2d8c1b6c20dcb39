// The ranges Bloomery accepts, stated once.
#pragma once

#include <cstdint>

namespace bloomery {

// 32 TiB of cells: far beyond any machine today, and small enough that a bit index times any cell
// width, rounded up to a cache line, stays below 2^63.
inline constexpr std::uint64_t max_bits = std::uint64_t{1} << 48;
inline constexpr std::uint64_t max_hashes = 64;
inline constexpr std::uint64_t max_keys = std::uint64_t{1} << 48;
// Counts of insertions stop here when stored or added up; no machine lives to count from here to
// 2^64, so none can wrap.
inline constexpr std::uint64_t max_items = std::uint64_t{1} << 62;

inline constexpr std::uint64_t cache_line_bytes = 64;
inline constexpr std::uint64_t cache_line_bits = 8 * cache_line_bytes;

}  // namespace bloomery
