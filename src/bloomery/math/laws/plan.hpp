// Sizes: the smallest filter of each kind that keeps a promised rate, by the predicted rate of that
// very structure.
//
// Purpose:   (keys, rate) to (bits, hashes). A blocked filter is not sized by the unblocked
//            formula.
// Cost:      tens of microseconds.
// Guarantee: the predicted rate is at or under the asked one and
//            one unit less would break it. Impossible requests throw errc::invalid or errc::limit.
// Citation:  lower bounds: Broder–Mitzenmacher §2.2.
//
//     const auto size = bloomery::math::plan_standard(1'000'000, 0.01);
//     assert(size.hashes == 7 && size.rate <= 0.01);
//     const double per_key = static_cast<double>(size.bits) / 1e6;
//     assert(9.58 < per_key && per_key < 9.60);
#pragma once

#include <cstdint>
#include <functional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {

struct standard_size {
  std::uint64_t bits;
  std::uint64_t hashes;
  double rate;
};

struct partitioned_size {
  std::uint64_t slice_bits;
  std::uint64_t hashes;
  double rate;
};

struct blocked_size {
  std::uint64_t blocks;
  std::uint64_t hashes;
  double rate;
};

// Kinds plan for this much less than the rate asked for: asked 100,000/rate strangers, a filter then
// stays under its promise by three standard deviations (99,000 ± 315 hits of 100,000 allowed) and
// not at even odds. The price is two hundredths of a bit a key.
inline constexpr double rate_reserve = 0.01;
constexpr double with_reserve(double rate) {
  return rate > 0 && rate < 1 ? rate * (1 - rate_reserve) : rate;
}

// Throws errc::invalid unless keys are 1 to max_keys and the rate is above 0 and below 1.
void require_plannable(std::uint64_t keys, double rate);
// Throws errc::limit: no filter within max_bits reaches the rate.
[[noreturn]] void refuse_rate(double rate);

standard_size plan_standard(std::uint64_t keys, double rate);
std::uint64_t plan_one_hash(std::uint64_t keys, double rate);  // bits, with k = 1
partitioned_size plan_partitioned(std::uint64_t keys, double rate);
blocked_size plan_blocked(std::uint64_t keys, double rate, const lane_block& block = {});

// The same by a given rate of so many bits or blocks and k hashes: what is asked of it is what a plan costs.
using rate_of_units = std::function<double(std::uint64_t units, std::uint64_t hashes)>;
standard_size plan_standard_by(std::uint64_t keys, double rate, const rate_of_units& rate_of);
blocked_size plan_blocked_by(std::uint64_t keys, double rate, const lane_block& block,
                             const rate_of_units& rate_of);

// The k that gives the lowest exact rate for m bits and n keys: near (m/n)·ln 2, but not always at
// it (m=32, n=2: 9, not 11).
std::uint64_t best_hashes(std::uint64_t bits, std::uint64_t keys);

// The most keys, up to max_keys, at which a rate that rises with them is still at or under `rate`; 0
// if one key breaks it. Two evaluations for each doubling of the answer.
template <class RateOfKeys>
std::uint64_t keys_within(double rate, RateOfKeys rate_of_keys) {
  const auto broken =
      smallest(1, max_keys, [&](std::uint64_t keys) { return !(rate_of_keys(keys) <= rate); });
  return broken ? *broken - 1 : max_keys;
}

// Bits per key that no structure without false negatives can beat: log2(1/rate).
double lower_bound_bits_per_key(double rate);

// The same for all keys together when they come from a universe of u things, n <= u <= 2^62:
// log2 of C(u,n)/C(n+⌊rate·(u-n)⌋,n). Less than n·log2(1/rate), and close to it when rate·u is much
// more than n. 1e-13 relative, for the rate that the double stands for.
double lower_bound_bits(std::uint64_t keys, double rate, std::uint64_t universe);

}  // namespace bloomery::math
