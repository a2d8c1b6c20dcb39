#include "bloomery/filters/weighted/weighted.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/weighted.hpp"

namespace bloomery {

std::vector<unsigned> weighted_rule::hashes(std::uint64_t /*method*/,
                                            std::span<const math::demand> demands, double budget) {
  return math::weighted_hashes(demands, budget);
}

template struct erasure<weighted_filter>;

}  // namespace bloomery
