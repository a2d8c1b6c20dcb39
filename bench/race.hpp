// The race itself: contestants in turns, and the least time of each.
#pragma once

#include <vector>

#include "contestant.hpp"
#include "workload.hpp"

namespace bloomery::bench {

// Appends the rows of all that finish, and says why others did not.
template <class Key>
void run_race(const std::vector<contestant<Key>>& sides, const workload<Key>& work,
              const bench_options& options, const progress& report, filter_results& results);

extern template void run_race(const std::vector<contestant<std::uint64_t>>&,
                              const workload<std::uint64_t>&, const bench_options&, const progress&,
                              filter_results&);
extern template void run_race(const std::vector<contestant<std::string_view>>&,
                              const workload<std::string_view>&, const bench_options&,
                              const progress&, filter_results&);

}  // namespace bloomery::bench
