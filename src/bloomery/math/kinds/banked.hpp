// The banked filter: a ring of banks, and a key's k bits in k banks in a row from a random one on.
//
// Purpose:   fill, rate and size where memory comes in banks that answer one probe at a time.
// Cost:      tens of microseconds; a plan takes milliseconds.
// Guarantee: keys that overlap a query in one bank tend to in the next, so its probes are not quite
//            independent. The rate is exact to k = 10 where it is above 1e-9, and always for
//            k = banks, which is a partitioned filter. Elsewhere each pair of probes is exact, and
//            what three have in common beyond that is left out: up to 0.2 % for banks of 10 bits, less
//            the larger they are. Moments of the fill are exact.
// Citation:  the banks: Tarkoma §IV-F; the rate is ours.
//
//     const double all = bloomery::math::banked_rate({100, 7, 7}, 100);
//     assert(std::abs(all - bloomery::math::partitioned_rate(100, 100, 7)) < 1e-15);
//     assert(bloomery::math::banked_rate({50, 14, 7}, 100) > all);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/occupancy.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t max_banks = 1024;

struct banked_size {
  std::uint64_t bank_bits;
  std::uint64_t banks;   // 1 to max_banks
  std::uint64_t hashes;  // k, at most `banks`
};
double banked_rate(const banked_size& size, std::uint64_t n);
// Of a filter as it stands: over all runs of k banks, the mean product of their fills.
double banked_instance_rate(std::span<const double> bank_fills, std::uint64_t k);
bit_layout banked_layout(const banked_size& size);
query_cost banked_cost(const banked_size& size, std::uint64_t n);
// The fewest bits, in a power of two of banks: as few as k hashes need.
banked_size plan_banked(std::uint64_t keys, double rate);

}  // namespace bloomery::math
