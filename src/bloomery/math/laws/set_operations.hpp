// Rates of the or and the and of two filters with the same bits and hashes.
//
// Purpose:   what a union or an intersection of filters will claim of strangers, before it is made.
//            A has `a` keys, B has `b`, `common` of them are in both.
// Cost:      O(k³ log kn), as exact_rate.
// Guarantee: union_rate, intersection_fill and intersection_rate are exact expectations over
//            uniform, independent positions. and_is_exact_probability is an approximation that errs
//            low. common <= a, b <= max_keys, or errc::invalid.
// Citation:  Tarkoma §II-B, theorems 1 and 2; Broder–Mitzenmacher §2.4. The exact rate of the and
//            is ours.
//
//     const double fill = bloomery::math::intersection_fill(1000, 5, 100, 80, 30);
//     const double rate = bloomery::math::intersection_rate(1000, 5, 100, 80, 30);
//     assert(rate > std::pow(fill, 5));
//     assert(rate < bloomery::math::union_rate(1000, 5, 100, 80, 30));
#pragma once

#include <cstdint>
#include <span>

namespace bloomery::math {

// The or is the filter of the union, so this is its exact rate: never below that of A or of B
// (theorem 1).
double union_rate(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                  std::uint64_t common);

// The expected fraction of ones in the and: the inner product of Broder–Mitzenmacher over m.
double intersection_fill(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                         std::uint64_t common);

// The chance that the and claims a key of neither set. fill^k is below it, as the classic rate is
// below the exact one: the common keys cover some of the stranger's bins, and A's and B's own keys
// must each cover all the rest.
double intersection_rate(std::uint64_t m, std::uint64_t k, std::uint64_t a, std::uint64_t b,
                         std::uint64_t common);

// Theorem 2: the and is the filter of A∩B, bit for bit, with about (1-1/m)^{k²·|A-B|·|B-A|}. The
// truth is never less: no two own balls of A and B may meet, and those of A share bins (Jensen);
// nor do meetings harm where a common key has set the bit.
double and_is_exact_probability(std::uint64_t m, std::uint64_t k, std::uint64_t only_a,
                                std::uint64_t only_b);

// The chance that at least one of several filters claims a stranger to all, if they err independently at
// these rates: one minus the product of what each lets go.
double any_claims(std::span<const double> rates);

}  // namespace bloomery::math
