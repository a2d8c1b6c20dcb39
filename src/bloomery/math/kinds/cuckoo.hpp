// Cuckoo tables: how full they can be, how often they mistake a stranger, how large to make them.
//
// Purpose:   keys with two buckets each, of `entries` places; `buckets` is even, and the two buckets
//            of a fingerprint add up to an odd number that depends on it alone.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: the rate is exact. Keys with one fingerprint share both buckets or neither, wherever
//            they were moved to, so a stranger is claimed if and only if some key has its fingerprint
//            and its pair of buckets: 1-(1-2/(buckets·(2^F-1)))^n. `cuckoo_capacity` distinct
//            keys find no room in one of 1/planned_failure tables.
// Citation:  Fan et al. 2014; the sharp threshold of the load: Cain, Sanders, Wormald 2007;
//            Fernholz, Ramachandran 2007. The bound for small tables is ours.
//
//     const bloomery::math::cuckoo_size size{1 << 20, 4, 12};
//     assert(std::abs(bloomery::math::cuckoo_rate(size, 3'984'589) - 0.00185) < 5e-6);
//     assert(std::abs(bloomery::math::cuckoo_threshold(4) - 0.980) < 5e-4);
//     assert(bloomery::math::cuckoo_capacity(size) > std::uint64_t{3'980'000});
#pragma once

#include <cstdint>

#include "bloomery/math/laws/fingerprints.hpp"

namespace bloomery::math {

// With one entry a bucket, about one in n tables of n buckets would fail, at any load.
inline constexpr std::uint64_t min_entries = 2;
inline constexpr std::uint64_t max_entries = 8;

// How many buckets an insertion looks into for room. Measured: tables of 2^20 buckets of 4 are filled
// to .9686 before the first insertion fails, .9638 with half as many visits and .9495 with a quarter.
inline constexpr std::uint64_t cuckoo_visits = 1024;

inline constexpr double planned_failure = 1e-6;

struct cuckoo_size {
  std::uint64_t buckets;
  std::uint64_t entries;
  std::uint64_t fingerprint_bits;
};

double cuckoo_rate(const cuckoo_size& size, std::uint64_t keys);

// The load below which large tables can be filled and above which they cannot: x/(2b·P(X >= b)) for
// X Poisson of mean x, where X given X > b has mean 2b.
double cuckoo_threshold(std::uint64_t entries);

// An upper bound on the probability that `keys` distinct keys cannot be placed, for random pairs of
// buckets: the expected number of smallest sets of s buckets that contain both buckets of b·s+1
// keys. In a smallest such set every bucket is met by more than b of them.
double cuckoo_failure_bound(const cuckoo_size& size, std::uint64_t keys);

// From 4096 buckets on (65,536 of two entries) .03 below the threshold: measured, the first insertion
// fails above that load by .0145 on average in 2^16 buckets of 2 entries (deviation .0028), .0215 in 2^12
// of 3 (.0033), .0236 in 2^12 of 4 (.0021). In smaller tables, and where it is better, by the bound. In
// tables of any size no pair of buckets may be overrun by keys of one short fingerprint.
std::uint64_t cuckoo_capacity(const cuckoo_size& size);

// Which buckets a table may have, and what they take.
struct cuckoo_form {
  std::uint64_t most_bits;  // of a bucket
  std::uint64_t least_entries = min_entries;
  std::uint64_t most_entries = max_entries;
  std::uint64_t least_fingerprint = 1;
  std::uint64_t spared_bits = 0;  // of a bucket, by the order of its entries

  [[nodiscard]] std::uint64_t bits(std::uint64_t entries, std::uint64_t fingerprint) const {
    return entries * fingerprint - spared_bits;
  }
};

// The fewest bits for this many keys at or under the rate.
cuckoo_size plan_cuckoo(std::uint64_t keys, double rate, const cuckoo_form& form);
// In buckets of at most `bucket_bits`, of which none are spared.
inline cuckoo_size plan_cuckoo(std::uint64_t keys, double rate, std::uint64_t bucket_bits) {
  return plan_cuckoo(keys, rate, cuckoo_form{.most_bits = bucket_bits});
}

}  // namespace bloomery::math
