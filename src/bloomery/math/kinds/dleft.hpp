// d-left tables: how loads spread, how full they can be, how often they mistake a stranger.
//
// Purpose:   keys with one bucket in each of `tables` tables go to the least loaded, leftmost of
//            equals. A key is known by its bucket in the first table and a remainder; the buckets in
//            the others follow from these, so two keys agree in one table if they agree in all.
// Cost:      a fraction of a millisecond; a plan takes some milliseconds.
// Guarantee: the rate is exact: a stranger is claimed if some key has its bucket and remainder. Loads
//            are the limit for many buckets; tails keep their digits, however small.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006; the differential equations:
//            Broder, Mitzenmacher 2001; Vöcking 1999.
//
//     const bloomery::math::dleft_size size{4, 2048, 8, 14, 2};
//     assert(std::abs(bloomery::math::dleft_rate(size, 49152) - 0.001464) < 1e-6);
//     const auto at_least = bloomery::math::dleft_loads(4, 24, 9, bloomery::math::history::churn);
//     assert(std::abs(at_least[8] - 0.0023) < 1e-4 && at_least[9] < 2e-27);
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::math {

inline constexpr std::uint64_t max_remainder_bits = 48;
inline constexpr std::uint64_t dleft_tables = 3;        // what plans take, in both forms, or more
inline constexpr std::uint64_t dleft_counter_bits = 2;  // as in the paper; sized for sets
inline constexpr std::uint64_t max_dleft_tables = 8;
inline constexpr std::uint64_t max_dleft_cells = 32;

struct dleft_size {
  std::uint64_t tables;
  std::uint64_t buckets;  // in each table
  std::uint64_t cells;    // in each bucket
  std::uint64_t remainder_bits;
  std::uint64_t counter_bits;
};

// Only filled; or filled, and then a random key removed for each one inserted, until loads are
// steady.
enum class history { growth, churn };

// The fraction of all buckets with a load of at least i, for i up to `most`, of unbounded buckets:
// `keys_per_bucket` is n over the buckets of one table.
std::vector<double> dleft_loads(std::uint64_t tables, double keys_per_bucket, std::uint64_t most,
                                history past);

double dleft_rate(const dleft_size& size, std::uint64_t keys);

// The keys up to which, in churn, at most planned_failure buckets are expected to want more cells
// than they have. With one bucket a table every cell is of use.
std::uint64_t dleft_capacity(const dleft_size& size);

// How many cells of this width a bucket has; 0 if cells of this width are not used.
using cells_of_width = std::uint64_t (*)(std::uint64_t width);

// The fewest bits for this many keys at or under the rate, in dleft_tables tables, or in one more as
// long as that spares a ninth of them.
dleft_size plan_dleft(std::uint64_t keys, double rate, cells_of_width cells,
                      std::uint64_t counter_bits = dleft_counter_bits);

// Keys that share their cell with one of another state, the states drawn evenly: of n keys, each of the
// others does so with probability (1 - 1/states)/(buckets·(2^r - 1)).
double dleft_conflicts(const dleft_size& size, std::uint64_t keys, std::uint64_t states);

// The same tables with the bits of a bucket shared out among the remainders it holds. Their order says
// nothing, so they are sorted and the first four bits of each are coded together, as one number among
// those of all sorted sequences; the others follow, remainder by remainder.
inline constexpr std::uint64_t dynamic_header_bits = 4;  // of a bucket: among how many it is shared
inline constexpr std::uint64_t max_dynamic_cells = 15;
inline constexpr std::uint64_t sorted_bits = 4;  // of a remainder
inline constexpr std::uint64_t sorted_values = std::uint64_t{1} << sorted_bits;
inline constexpr std::uint64_t shortest_remainder = sorted_bits + 1;

// Of n things, k: for the few that sorted sequences are counted with, without overflow.
constexpr std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = k <= n ? 1 : 0;
  for (std::uint64_t i = 1; i <= k && k <= n; ++i) result = result * (n - k + i) / i;
  return result;
}

// Plans err no more than this. A key that is mistaken for another goes beside it, and loads are then
// not those of d-left: at 10 % the rate is some 5 % above that predicted.
inline constexpr double loosest_dynamic_rate = 0.03;

struct dynamic_size {
  std::uint64_t tables;
  std::uint64_t buckets;
  std::uint64_t bucket_bits;
  std::uint64_t cells;  // the most remainders in a bucket

  // For `shared` remainders in a bucket: the bits that code their sorted beginnings, and the bits
  // that each remainder has in all.
  [[nodiscard]] static std::uint64_t code_bits(std::uint64_t shared);
  [[nodiscard]] std::uint64_t remainder_bits(std::uint64_t shared) const;
};

// The limit for many buckets, after filling: a stranger meets a bucket of load i in each table. The
// first remainder_bits(cells) bits of a remainder are never all 0.
double dynamic_rate(const dynamic_size& size, std::uint64_t keys);
std::uint64_t dynamic_capacity(const dynamic_size& size);  // as dleft_capacity

// The fewest bits for this many keys at or under the rate; bucket_bits is a multiple of 16 up to 128.
dynamic_size plan_dynamic(std::uint64_t keys, double rate);

}  // namespace bloomery::math
