// Zipf's law: the key of rank i is asked for in proportion to 1/i^s.
//
// Purpose:   popularity in workloads; what a sampler is made of and judged by.
// Cost:      constant for a harmonic number, whatever its n.
// Guarantee: a relative error below 2e-15 for a harmonic number; errc::invalid unless ranks are 1 to
//            max_keys and the exponent 0 to 16.
// Citation:  Zipf 1949; Breslau, Cao, Fan, Phillips, Shenker 1999 (requests for pages); the Euler–Maclaurin
//            formula: NIST Handbook of Mathematical Functions, §2.10(i).
//
//     assert(std::abs(bloomery::math::harmonic(10, 1) - 7381.0 / 2520) < 1e-15);
//     assert(std::abs(bloomery::math::zipf_probability(1, 3, 1) - 6.0 / 11) < 1e-15);
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::math {

// H(n, s) = 1 + 1/2^s + … + 1/n^s.
double harmonic(std::uint64_t n, double exponent);

// That a request is for the key of this rank, 1 to `keys`.
double zipf_probability(std::uint64_t rank, std::uint64_t keys, double exponent);

// For each rank, that a request is for a key of this or a lower one; the last is 1.
std::vector<double> zipf_cumulative(std::uint64_t keys, double exponent);

}  // namespace bloomery::math
