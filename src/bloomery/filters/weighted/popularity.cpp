#include "bloomery/filters/weighted/popularity.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/popularity.hpp"

namespace bloomery {

std::vector<unsigned> popularity_rule::hashes(std::uint64_t method,
                                              std::span<const math::demand> demands,
                                              double budget) {
  return method == 0 ? math::floored_hashes(demands, budget) : math::greedy_hashes(demands, budget);
}

template struct erasure<popularity_filter>;

}  // namespace bloomery
