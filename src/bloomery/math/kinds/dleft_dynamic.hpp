// Dynamic d-left tables: how the bits of a bucket are shared out among the remainders it holds.
//
// Purpose:   d-left tables whose remainders are the longer the fewer a bucket has. Their order says
//            nothing, so they are sorted and the first four bits of each are coded together, as one
//            number among those of all sorted sequences; the others follow, remainder by remainder.
// Cost:      a fraction of a millisecond; a plan takes some milliseconds.
// Guarantee: the rate after filling is the limit for many buckets, by the loads of dleft.hpp; that of a
//            worn table is a bound for any.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006.
//
//     const bloomery::math::dynamic_size size{3, 100'000, 128, 15};
//     assert(size.remainder_bits(1) == 48 && size.remainder_bits(15) == 10);
#pragma once

#include <cstdint>

#include "bloomery/math/kinds/dleft.hpp"
#include "bloomery/math/numeric/binomial.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t dynamic_header_bits = 4;  // of a bucket: among how many it is shared
inline constexpr std::uint64_t max_dynamic_cells = 15;
inline constexpr std::uint64_t sorted_bits = 4;  // of a remainder
inline constexpr std::uint64_t sorted_values = std::uint64_t{1} << sorted_bits;
inline constexpr std::uint64_t shortest_remainder = sorted_bits + 1;

struct dynamic_size {
  std::uint64_t tables;
  std::uint64_t buckets;
  std::uint64_t bucket_bits;
  std::uint64_t cells;  // the most remainders in a bucket

  // Bits of the number of the sorted beginnings of so many remainders, and all bits of each of them.
  [[nodiscard]] static std::uint64_t code_bits(std::uint64_t shared);
  [[nodiscard]] std::uint64_t remainder_bits(std::uint64_t shared) const;
  // What it comes to when all buckets have been full: a d-left table of equal remainders.
  [[nodiscard]] dleft_size shortest() const {
    return {tables, buckets, cells, remainder_bits(cells), least_counter_bits};
  }
};

// The limit for many buckets, after filling: a stranger meets a bucket of load i in each table. The
// first remainder_bits(cells) bits of a remainder are never all 0.
double dynamic_rate(const dynamic_size& size, std::uint64_t keys);
// The most it can be, whatever came and went before: bits that remainders lost do not come back.
double worn_dynamic_rate(const dynamic_size& size, std::uint64_t keys);
std::uint64_t dynamic_capacity(const dynamic_size& size);  // as dleft_capacity

// The fewest bits for this many keys at or under the rate, however often they are replaced; bucket_bits is
// a multiple of 16 up to 128.
dynamic_size plan_dynamic(std::uint64_t keys, double rate);

}  // namespace bloomery::math
