// Hash-choice filters: each group of keys takes the one of several candidates that adds the fewest ones,
// and a query is told which one was taken.
//
// Purpose:   fill, rate, cost and size.
// Cost:      half a millisecond; a plan takes one or two, and some more for a rate not asked for before.
// Guarantee: fill and cost are the limit for many bits, by the law of laws/choices.hpp, over all sizes of
//            groups. The rate is exact for few keys (at least 2, and 128 positions set) in up to 64 groups,
//            and beyond them to the second order.
// Citation:  Hao, Kodialam, Lakshman 2007; Tarkoma §II-C. The law of groups is ours.
//
//     const auto size = bloomery::math::plan_hash_choice(1'000'000, 0.01);
//     assert(bloomery::math::hash_choice_rate(size, 1'000'000) <= 0.01);
//     assert(size.stored_bits() < bloomery::math::plan_standard(1'000'000, 0.01).bits);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

struct hash_choice_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  std::uint64_t groups;
  std::uint64_t choice_bits;  // log2 of the candidates; a group stores as many

  [[nodiscard]] std::uint64_t stored_bits() const { return bits + groups * choice_bits; }
};
double hash_choice_fill(const hash_choice_size& size, std::uint64_t n);
double hash_choice_rate(const hash_choice_size& size, std::uint64_t n);  // E fill^k
// The query looks up its group's choice first.
query_cost hash_choice_cost(const hash_choice_size& size, std::uint64_t n);
// The fewest bits at these settings: 16 candidates for four keys on average. Other sizes of groups save
// at most 0.2 bits a key more, at any rate from 5 % to 1e-6; four times the candidates save 0.1 to 0.7
// bits, and take four times as long to build.
inline constexpr std::uint64_t planned_choice_bits = 4;
inline constexpr std::uint64_t planned_group_keys = 4;
hash_choice_size plan_hash_choice(std::uint64_t keys, double rate);

}  // namespace bloomery::math
