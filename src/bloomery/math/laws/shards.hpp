// A filter in parts: how many keys the fullest part has, and what the parts know together.
//
// Purpose:   n keys are dealt out to parts by their hash. Each part is planned for as many keys as the fullest
//            one has; estimates of the parts add up to that of the whole; and where every part of several is
//            asked, as generations are, their rates combine.
// Guarantee: fullest_part: no part has more, but for the stated chance (the union bound over exact binomial tails).
//            sum_of: each end is as far from the sum as the root of the parts' squared distances, so that
//            variances add; it covers as well as the parts' intervals do, for independent parts.
// Citation:  Zou, Donner 2008 (confidence limits of a sum from those of its terms, the method of variance
//            estimates recovery).
//
//     using namespace bloomery::math;
//     assert(fullest_part(1200, 1, 1e-6) == 1200);
//     assert(fullest_part(1'200'000, 12, 1e-6) > 101'000 && fullest_part(1'200'000, 12, 1e-6) < 102'000);
//     const estimate parts[] = {{100, 97, 103, false}, {100, 96, 104, false}};
//     const estimate whole = sum_of(parts);
//     assert(whole.value == 200 && whole.low == 195 && whole.high == 205);
//     const double rates[] = {0.5, 0.5};
//     assert(rate_of_any(rates) == 0.75);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/math/laws/estimate.hpp"

namespace bloomery::math {

// The least number that no part exceeds, but for `chance`.
std::uint64_t fullest_part(std::uint64_t keys, std::uint64_t parts, double chance);

// Of parts that have no key in common. Saturated if one of them is.
estimate sum_of(std::span<const estimate> parts);

// That at least one of several independent filters claims a stranger.
double rate_of_any(std::span<const double> rates);

}  // namespace bloomery::math
