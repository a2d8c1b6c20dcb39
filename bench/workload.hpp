// The keys of a run, the same for every contestant.
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::bench {

struct workload {
  std::vector<std::uint64_t> keys;    // distinct
  std::vector<std::uint64_t> hits;    // the same, in another order
  std::vector<std::uint64_t> misses;  // as many others
};

workload make_workload(std::uint64_t keys, std::uint64_t seed);

}  // namespace bloomery::bench
