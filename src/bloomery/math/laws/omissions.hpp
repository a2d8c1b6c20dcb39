// What a search misses that remembers in a filter where it has been.
//
// Purpose:   a search asks the filter about each state that it meets, and leaves out those that the filter
//            claims to know (bitstate hashing). How many states are lost?
// Cost:      microseconds a thousand states.
// Guarantee: a state that is left out has all its bits set, so that storing it would have changed nothing:
//            after t different states the filter is that of all t, and the next is lost with exactly
//            exact_rate(m, t, k). From 2^16 bits on the rate is second_order_rate, off by O(1/m²). What lies
//            behind lost states only is lost as well; `hidden` is the most of them that are to be expected
//            where each state has as many predecessors, lost independently of each other.
// Citation:  Holzmann 1998 (bitstate hashing); Dillinger and Manolios 2004; the sum is ours.
//
//     const auto lost = bloomery::math::search_omissions(1 << 21, 5, 279'936, 7);
//     assert(1000 < lost.expected && lost.expected < 2000 && lost.hidden < 0.01);
#pragma once

#include <cstdint>

namespace bloomery::math {

struct omissions {
  double expected = 0;  // of the states that are met
  double hidden = 0;    // at most, of states that are never met
};

// m bits, k hashes; each of the states can be reached from `predecessors` others.
omissions search_omissions(std::uint64_t m, std::uint64_t k, std::uint64_t states,
                           std::uint64_t predecessors);

}  // namespace bloomery::math
