// How often each of some flows occurred, from counters that several of them share.
//
// Purpose:   decoding counter braids, one layer at a time. A count is no more than what a counter has
//            left by the least counts of the others there, and no less than what it has left by their
//            greatest.
// Cost:      some tens of passes over the flows, 2000 at most.
// Guarantee: the truth is within the bounds if it is within those of the counters, every flow occurred,
//            and none is missing. Where no counts within the bounds could add up to the counters, that
//            was not so: then every count is bounded by its least counter alone, and from below by 0.
// Citation:  Lu, Montanari, Prabhakar, Dharmapurikar, Kabbani 2008.
//
//     bloomery::bits::incidence flows;
//     flows.add(std::vector<std::uint64_t>{0, 1});
//     flows.add(std::vector<std::uint64_t>{1, 2});
//     const auto found = bloomery::bits::bound_counts(flows, {{5, 12, 7}, {5, 12, 7}});
//     assert(found.low[0] == 5 && found.high[0] == 5 && found.low[1] == 7 && found.high[1] == 7);
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/bits/table/incidence.hpp"

namespace bloomery::bits {

struct count_bounds {
  std::vector<std::uint64_t> low;
  std::vector<std::uint64_t> high;
};

// flows[i] are the counters that flow i counts in, each once; `held` is what the counters hold.
count_bounds bound_counts(const incidence& flows, const count_bounds& held);

}  // namespace bloomery::bits
