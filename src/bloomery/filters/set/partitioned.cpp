#include "bloomery/filters/set/partitioned.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {

template class bit_cells<partitioned_rule>;

partitioned_shape partitioned_rule::plan(std::uint64_t keys, double rate) {
  const math::partitioned_size size = math::plan_partitioned(keys, rate);
  return {size.slice_bits, size.hashes};
}

double partitioned_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::partitioned_rate(s.slice_bits, keys, s.hashes);
}

double partitioned_rule::current_rate(const shape& s, const bits::bit_array& bits) {
  std::vector<double> fills;
  for (std::uint64_t first = 0; first < bits.size(); first += s.slice_bits) {
    fills.push_back(static_cast<double>(bits.count(first, first + s.slice_bits)) /
                    static_cast<double>(s.slice_bits));
  }
  return math::instance_rate(fills);
}

template struct erasure<partitioned_filter>;

}  // namespace bloomery
