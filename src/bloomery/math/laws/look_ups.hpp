// One question that takes several look-ups in a filter, and is answered "yes" if any of them is.
//
// Purpose:   how often such a question is answered wrongly, such as whether anything within one typing
//            error of a password is listed.
// Guarantee: exact for look-ups that are independent, as those of distinct keys are in a filter whose
//            rate is that of its own cells; relatively accurate however small the rate.
// Citation:  Broder–Mitzenmacher §3.1; Manber, Wu 1994.
//
//     assert(bloomery::math::any_of(0.5, 2) == 0.75);
#pragma once

#include <cstdint>

namespace bloomery::math {

// 1-(1-rate)^look_ups, for a rate in 0..1.
double any_of(double rate, std::uint64_t look_ups);
// The same power for look-ups that are so many in the mean: an upper bound, and close to exact while
// rate·look_ups is small.
double any_of_expected(double rate, double look_ups);

}  // namespace bloomery::math
