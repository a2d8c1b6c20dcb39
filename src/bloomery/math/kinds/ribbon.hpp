// How large the layers of a bumped ribbon table are.
//
// Purpose:   a key has an equation over 40 consecutive rows that begin anywhere; rows are filled by
//            Gaussian elimination. Rows lie in buckets of 64, buckets in segments that are solved
//            apart. There are fewer rows than keys, so that few stay empty: each bucket bumps those
//            of its keys that begin before one of four offsets into the next layer, far smaller. The
//            last layer is roomy and bumps none. The table's size is `rows` times the width of a
//            value and two bits a bucket, within 1.01 times the values from a million keys and
//            eight bits up. Equations over 32 rows are of older tables, within 1.02 times.
// Cost:      nothing.
// Guarantee: whole numbers only, since stored tables are laid out by them. The last layer has room for
//            three standard deviations more keys than are bumped to it, so that an attempt to build
//            fails less than once in a hundred (measured; see the test).
// Citation:  Dillinger, Hübschle-Schneider, Sanders, Walzer: Fast Succinct Retrieval and
//            Approximate Membership Using Ribbon, 2022, with two-bit thresholds.
//
//     const auto size = bloomery::math::plan_ribbon(1'000'000, bloomery::math::ribbon_wide);
//     assert(size.rows() > 1'000'000 && size.rows() < 1'006'000);
//     assert(bloomery::math::ribbon_bits(size, 8) < 1.01 * 8 * 1'000'000);
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

inline constexpr unsigned ribbon_hash_bits = 64;

// Rows in an equation. Wider ones leave fewer rows empty, and then buckets may be fuller.
inline constexpr unsigned ribbon_narrow = 32;
inline constexpr unsigned ribbon_wide = 40;

inline constexpr unsigned ribbon_block = 32;        // rows that are stored together
inline constexpr unsigned ribbon_bucket = 64;       // rows in a bucket
inline constexpr unsigned ribbon_segment = 1024;    // most buckets in a segment
inline constexpr unsigned ribbon_most_layers = 12;  // enough for max_keys

// Keys that begin before thresholds[code] rows of their bucket are bumped. Of the sets of four tried
// at 2 M keys the one with the fewest bits a key.
inline constexpr std::array<unsigned, 4> ribbon_thresholds{0, 8, 20, ribbon_bucket};

struct ribbon_layer {
  std::uint64_t segments = 0;
  std::uint64_t buckets = 0;  // in each segment

  [[nodiscard]] std::uint64_t all_buckets() const { return segments * buckets; }
  [[nodiscard]] std::uint64_t rows() const { return all_buckets() * ribbon_bucket; }
};

struct ribbon_size {
  unsigned band = ribbon_narrow;                        // rows in an equation
  std::array<ribbon_layer, ribbon_most_layers> layers;  // that bump
  unsigned bumping = 0;                                 // how many of them there are
  std::uint64_t last_rows = 0;                          // in the one that does not

  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t buckets() const;
};

// Equations over `band` rows, ribbon_narrow or ribbon_wide.
ribbon_size plan_ribbon(std::uint64_t keys, unsigned band);

// How many of this many keys a layer of wide equations bumps on average, if they are at least 1.06 times
// the rows; measured, with a standard deviation of 0.22·√keys.
std::uint64_t ribbon_bumped(const ribbon_layer& layer, std::uint64_t keys);

// Rows and thresholds, for values of `width` bits.
double ribbon_bits(const ribbon_size& size, unsigned width);

// A query reads the blocks of 32 rows that its equation reaches, two or three; the thresholds stay in
// the cache.
query_cost ribbon_cost(const ribbon_size& size, unsigned width);

}  // namespace bloomery::math
