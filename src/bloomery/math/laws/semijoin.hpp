// What it costs to join two tables that lie apart: the bytes that travel.
//
// Purpose:   one party has n keys, the other rows, of which `matches` have one of these keys and `rest`
//            do not. It sends the rows that join, so it must learn the keys: all of them (a semijoin), or a
//            filter of them (a Bloomjoin), which lets rows of strangers through. Or it sends all rows.
// Guarantee: expected bytes, exact for rows of one length whose keys the filter treats independently.
//            best_join_rate is for a filter of the classic 1.44 log2(1/rate) bits a key.
// Citation:  Mackert–Lohman 1986 (the Bloomjoin, and its cost beside the semijoin's); Mullin 1990 (how
//            large the filter should be); Broder–Mitzenmacher §3.2; Tarkoma §II-B.
//
//     using namespace bloomery::math;
//     const double join = bloomjoin_bytes(1600, 0.002, 1800, 198'200, 20);
//     assert(join < 0.02 * all_rows_bytes(200'000, 20));
//     assert(join > semijoin_bytes(900, 4, 1800, 20) && join < semijoin_bytes(900, 16, 1800, 20));
#pragma once

#include <cstdint>

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

// The rate at which filter and false rows together take the fewest bytes: n / (8 ln²2 · rest · row), and
// 1, which is no filter, if it would be more than that.
double best_join_rate(std::uint64_t keys, std::uint64_t rest, double row_bytes);

}  // namespace bloomery::math
