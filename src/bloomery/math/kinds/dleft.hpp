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
#include <optional>
#include <vector>

namespace bloomery::math {

inline constexpr std::uint64_t max_remainder_bits = 48;
inline constexpr std::uint64_t dleft_tables = 3;        // what plans take, in both forms, or more
inline constexpr std::uint64_t least_counter_bits = 2;  // as in the paper
inline constexpr std::uint64_t most_counter_bits = 8;
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

// For each table, the fraction of its buckets with a load of at least i, up to `most`, once filled.
std::vector<std::vector<double>> dleft_table_loads(std::uint64_t tables, double keys_per_bucket,
                                                   std::uint64_t most);

double dleft_rate(const dleft_size& size, std::uint64_t keys);

// The keys up to which, in churn, at most planned_failure buckets are expected to want more cells
// than they have. With one bucket a table every cell is of use.
bool dleft_has_room(const dleft_size& size, std::uint64_t keys);
std::uint64_t dleft_capacity(const dleft_size& size);

// How many cells of this width a bucket has; 0 if cells of this width are not used.
using cells_of_width = std::uint64_t (*)(std::uint64_t width);

[[noreturn]] void refuse_dleft(std::uint64_t keys, double rate);

// How plans of both forms choose: one table more than dleft_tables as long as that spares a ninth of the bits,
// since every operation reads a line more. smallest(tables) has no buckets if there is no such table.
template <class Smallest, class Bits>
auto plan_tables(std::uint64_t keys, double rate, const Smallest& smallest, const Bits& bits_of) {
  auto best = smallest(dleft_tables);
  while (best.tables < max_dleft_tables) {
    const auto next = smallest(best.tables + 1);
    if (next.buckets == 0 || (best.buckets != 0 && bits_of(next) > bits_of(best) * 8 / 9)) break;
    best = next;
  }
  if (best.buckets == 0) refuse_dleft(keys, rate);
  return best;
}

// The fewest bits for this many keys at or under the rate, in dleft_tables tables or more.
dleft_size plan_dleft(std::uint64_t keys, double rate, cells_of_width cells,
                      std::uint64_t counter_bits);
// The fewest buckets for that, whatever size.buckets is; none if they are more than `most`, or if longer
// remainders would do better.
std::optional<std::uint64_t> dleft_buckets(dleft_size size, std::uint64_t keys, double rate,
                                           double most);

// The chance that a key that comes finds so many others of its hash that its counter is full, and then
// stuck, while `keys` of a table that errs at this rate are replaced one by one. Stuck cells stay for ever.
double dleft_sticking(std::uint64_t keys, double rate, std::uint64_t counter_bits);
// The narrowest counters of which ten thousand replacements of all keys leave at most one for 200 keys
// stuck, so that the rate is half a hundredth higher. Sized for sets: a key that repeats fills any counter.
std::uint64_t dleft_counter_bits(std::uint64_t keys, double rate);

// Keys that share their cell with one of another state, the states drawn evenly: of n keys, each of the
// others does so with probability (1 - 1/states)/(buckets·(2^r - 1)).
double dleft_conflicts(const dleft_size& size, std::uint64_t keys, std::uint64_t states);

}  // namespace bloomery::math
