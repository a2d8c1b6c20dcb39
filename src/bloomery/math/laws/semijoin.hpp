// What it costs to join two tables that lie apart: the bytes that travel.
//
// Purpose:   one party has n keys, the other rows, of which `matches` have one of these keys and `rest`
//            do not. It sends the rows that join, so it must learn the keys: all of them (a semijoin), or a
//            filter of them (a Bloomjoin), which lets rows of strangers through. Or it sends all rows.
// Guarantee: expected bytes, exact for rows of one length whose keys the filter treats independently.
//            An interval of `joined_rows` holds the truth at least as often as its confidence says.
// Citation:  Mackert–Lohman 1986 (the Bloomjoin, and its cost beside the semijoin's); Mullin 1990 (how
//            large the filter should be), 1993 (the size of a join by filters); Broder–Mitzenmacher §3.2;
//            Tarkoma §II-B.
//
//     using namespace bloomery::math;
//     const double join = bloomjoin_bytes(1600, 0.002, 1800, 198'200, 20);
//     assert(join < 0.02 * all_rows_bytes(200'000, 20));
//     assert(join > semijoin_bytes(900, 4, 1800, 20) && join < semijoin_bytes(900, 16, 1800, 20));
#pragma once

#include <cstdint>
#include <numbers>

#include "bloomery/math/laws/estimate.hpp"

namespace bloomery::math {

double all_rows_bytes(std::uint64_t rows, double row_bytes);

double semijoin_bytes(std::uint64_t keys, double key_bytes, std::uint64_t matches,
                      double row_bytes);

// filter + (matches + rate · rest) · row
double bloomjoin_bytes(double filter_bytes, double rate, std::uint64_t matches, std::uint64_t rest,
                       double row_bytes);

// Of keys of this length both cost the same; a filter is cheaper than longer ones.
double even_key_bytes(double filter_bytes, double rate, std::uint64_t keys, std::uint64_t rest,
                      double row_bytes);

// Bits of a key each time its rate is halved: of a Bloom filter with the best k, and the least possible.
inline constexpr double bloom_bits_a_halving = 1 / std::numbers::ln2;
inline constexpr double least_bits_a_halving = 1;

// The rate at which a filter of b log2(1/rate) bits a key and the false rows together take the fewest bytes:
// b n / (8 ln2 · rest · row), and 1, which is no filter, if it would be more than that.
double best_join_rate(std::uint64_t keys, std::uint64_t rest, double row_bytes,
                      double bits_a_halving = bloom_bits_a_halving);

// What such a filter takes.
double join_filter_bytes(std::uint64_t keys, double rate,
                         double bits_a_halving = bloom_bits_a_halving);

// How many of `rows` rows join if a filter of this rate lets `passed` of them through. Rows of one key pass
// together: `squares` is the sum, over the keys, of the squares of their rows. Chebyshev's inequality.
estimate joined_rows(std::uint64_t rows, std::uint64_t passed, double squares, double rate,
                     double confidence = default_confidence);

}  // namespace bloomery::math
