// How many keys are in a filter, and how many two filters share, with intervals.
//
// Purpose:   cardinality from the zeros left; union, intersection and Jaccard index from two
//            filters of one shape and their or; common keys from the answers to one's own.
// Cost:      microseconds; no hashing, no keys.
// Guarantee: interval ends invert the normal and the translated Poisson approximation with exact
//            moments, whichever is wider; the stated confidence is tested, from one key on. A full filter is `saturated`: it bounds the count from below
//            only, and value and high end are infinite. Overlap estimates are clamped to what is possible.
// Citation:  Swamidass–Baldi 2007; Röllin 2005 (translated Poisson approximation); Broder–Mitzenmacher §2.1 (their Z12 is the zeros of the *and*);
//            the blocked layout and the overlap variances are ours.
//
//     const auto layout = bloomery::math::uniform_layout(1000, 7);
//     const auto keys = bloomery::math::estimate_keys(layout, 496);
//     assert(keys.low < 100.1 && 100.1 < keys.high);
//     assert(std::abs(keys.value - 100.1) < 0.1);
#pragma once

#include <cstdint>

#include "bloomery/math/laws/occupancy.hpp"

namespace bloomery::math {

inline constexpr double default_confidence = 0.95;

struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  bool saturated = false;
};

struct overlap {
  estimate first;
  estimate second;
  estimate united;
  estimate common;
  estimate jaccard;
};

estimate estimate_keys(const bit_layout& layout, std::uint64_t zeros,
                       double confidence = default_confidence);

// `zeros_of_or`: bits zero in both filters.
overlap estimate_overlap(const bit_layout& layout, std::uint64_t zeros_first,
                         std::uint64_t zeros_second, std::uint64_t zeros_of_or,
                         double confidence = default_confidence);

// How many of `asked` distinct keys are in a set whose filter of this rate claims `claimed` of them: all that
// are, and each of the others with probability `rate`. The ends invert exact binomial tails, so that the
// interval covers the truth at least as often as `confidence` says.
estimate estimate_common(std::uint64_t asked, std::uint64_t claimed, double rate,
                         double confidence = default_confidence);

}  // namespace bloomery::math
