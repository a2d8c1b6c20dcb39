#include "workload.hpp"

#include <algorithm>
#include <random>

#include "bloomery/hash/mix.hpp"

namespace bloomery::bench {

workload make_workload(std::uint64_t keys, std::uint64_t seed) {
  // SplitMix64: a bijection of the step number, so no key comes twice.
  std::uint64_t state = hash::mix(seed);
  const auto next = [&state] { return hash::mix(state += hash::golden); };
  workload work;
  work.keys.resize(keys);
  work.misses.resize(keys);
  std::generate(work.keys.begin(), work.keys.end(), next);
  std::generate(work.misses.begin(), work.misses.end(), next);
  work.hits = work.keys;
  std::shuffle(work.hits.begin(), work.hits.end(), std::mt19937_64(seed));
  return work;
}

}  // namespace bloomery::bench
