// Filters that look before they write: each key, or group of keys, takes the one of several sets of
// positions that adds the fewest ones.
//
// Purpose:   fill, rate and size of the two-choice filter, where a query must try every set, and of
//            the hash-choice filter, where it is told which one was taken.
// Cost:      tens of microseconds; a few milliseconds for groups and for plans.
// Guarantee: the limit for many bits, where the fill follows the mean of its steps: with a share z of
//            zeros left, a group that throws r balls a candidate adds E[min of d Bin(r, z)] ones.
//            Small filters miss it by some part in their bits. No fits.
// Citation:  Lumetta, Mitzenmacher 2007 (Tarkoma §II-C); Hao, Kodialam, Lakshman 2007. The law of
//            groups is ours.
//
//     const double two = bloomery::math::two_choice_rate(16'000'000, 1'000'000, 13, 2);
//     assert(std::abs(two - 3.93e-4) < 1e-6);
//     assert(two < bloomery::math::asymptotic_rate(16'000'000, 1'000'000, 11));
#pragma once

#include <cstdint>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

// E[min of `candidates` independent Bin(throws, zeros)]: ones that the best candidate adds. Exact to
// 4096 throws, and from there the normal limit.
double fewest_ones(std::uint64_t throws, double zeros, std::uint64_t candidates);

struct two_choice_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  double rate;
};
// The share of ones after n keys of k bits each, the best of d sets.
double two_choice_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d);
// 1-(1-fill^k)^d: a stranger is claimed if any of its d sets is all ones.
double two_choice_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d);
double two_choice_instance_rate(double fill, std::uint64_t k, std::uint64_t d);
// Sets are tried in order, and a key lies in any of them alike.
query_cost two_choice_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d);
two_choice_size plan_two_choice(std::uint64_t keys, double rate, std::uint64_t d);

struct hash_choice_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  std::uint64_t groups;
  std::uint64_t choice_bits;  // log2 of the candidates; a group stores as many

  [[nodiscard]] std::uint64_t stored_bits() const { return bits + groups * choice_bits; }
};
double hash_choice_fill(const hash_choice_size& size, std::uint64_t n);
double hash_choice_rate(const hash_choice_size& size, std::uint64_t n);  // fill^k
// The query looks up its group's choice first.
query_cost hash_choice_cost(const hash_choice_size& size, std::uint64_t n);
// The fewest bits at these settings: 16 candidates for four keys on average. Other sizes of groups save
// at most 0.2 bits a key more, at any rate from 5 % to 1e-6; four times the candidates save 0.1 to 0.7
// bits, and take four times as long to build.
inline constexpr std::uint64_t planned_choice_bits = 4;
inline constexpr std::uint64_t planned_group_keys = 4;
hash_choice_size plan_hash_choice(std::uint64_t keys, double rate);

}  // namespace bloomery::math
