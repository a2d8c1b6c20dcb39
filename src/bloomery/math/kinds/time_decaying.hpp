// Time-decaying filters: cells are sums of weights 2^(-age/half-life); a key is there while its least
// cell has the weight of a single arrival that is a window old.
//
// Purpose:   rate and size.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: exact until a cell first forgets a key. Later the expected fill is that of many arrivals in
//            a half-life, and the rate is that of a standard filter with this fill.
// Citation:  Cheng et al. 2005, the law of its cells by Dickman's distribution (ours).
//
//     const auto size = bloomery::math::plan_time_decaying(10'000, 0.01, 8);
//     assert(bloomery::math::time_decaying_rate(size, 10'000, 8, true) <= 0.01);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct time_decay {
  std::uint64_t cells;
  std::uint64_t hashes;
};
// With `keys` distinct keys spread evenly over a window of so many half-lives. If there were others
// before, their remains add up: then S, the sum, has P(S < x) = x^θ·e^(-γθ)/Γ(1+θ) for x <= 1, where θ
// is the number of marks that a cell gets in half-life/ln 2.
double time_decaying_rate(const time_decay& shape, double keys, double half_lives,
                          bool others_before);
// Half-lives in a planned window: its end weighs 2^-8, so that what is left of older keys costs two
// hundredths of the memory.
inline constexpr std::uint64_t planned_half_lives = 8;
time_decay plan_time_decaying(std::uint64_t keys, double rate, double half_lives);

}  // namespace bloomery::math
