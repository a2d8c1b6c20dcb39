// False-positive rates of bit filters: m bits, n distinct keys, k hashes.
//
// Purpose:   what a structure's rate is, before it is built (expected over hashes) and after (from
//            its actual fill). Every other room asks here.
// Cost:      microseconds, whatever m and n.
// Guarantee: stable for m to 10^12 and k to 64; no cancellation, so tiny rates are relatively
//            accurate. m in 1..max_bits and k in 1..max_hashes, or errc::invalid.
// Citation:  classic: Broder–Mitzenmacher §2, Tarkoma eq. 3; Bloom's: Christensen, Roginsky, Jimeno
//            2010, eq. 19; exact: the same, eq. 17, by the role-reversed death chain; partitioned:
//            Tarkoma §II-A; blocked: Putze et al. 2007, with the exact rate inside the block and
//            binomial, not Poisson, loads.
//
//     const double exact = bloomery::math::exact_rate(32, 4, 6);
//     assert(std::abs(exact - 0.0261751) < 5e-8);
//     assert(exact > bloomery::math::classic_rate(32, 4, 6));
#pragma once

#include <cstdint>
#include <span>

namespace bloomery::math {

double classic_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);     // (1-(1-1/m)^kn)^k
double asymptotic_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);  // (1-e^{-kn/m})^k
double exact_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// (1-(1-k/m)^n)^k, Bloom's own. If a key takes k distinct bits, k <= m, the fraction of zeros in it
// is exact; only raising the expected fill to the power k errs.
double bloom_1970_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// classic·(1 + k(k-1)v/2μ²), μ and v mean and variance of the fill: the exact rate to O(1/m²), in no
// time (9e-12 off at m=10^6, n=10^5, k=7).
double second_order_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k);

// k slices of `slice` bits, one probe each: exact as it stands, since slices are independent.
double partitioned_rate(std::uint64_t slice, std::uint64_t n, std::uint64_t k);

// `blocks` blocks of `block_bits`; a key picks one block, then k positions anywhere in it. Our blocked
// filter spreads them over lanes: math/laws/lanes.hpp.
double blocked_rate(std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t n,
                    std::uint64_t k);

// The rate of one filter as it stands. Uniform probes: fill^k. Partitioned: the product of the
// slices' fills.
double instance_rate(double fill, std::uint64_t k);
double instance_rate(std::span<const double> slice_fills);

}  // namespace bloomery::math
