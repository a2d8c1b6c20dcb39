#include "bloomery/filters/set/multi_blocked.hpp"

#include "bloomery/filters/erasure.hpp"

namespace bloomery {

template class bit_cells<multi_blocked_rule>;

multi_blocked_shape multi_blocked_rule::plan(std::uint64_t keys, double rate) {
  const math::multi_blocked_size size = math::plan_multi_blocked(keys, rate, planned_parts);
  return {size.blocks, size.parts, size.hashes};
}

double multi_blocked_rule::current_rate(const shape& s, const bits::bit_array& bits) {
  double rate = 1;
  for (std::uint64_t part = 0; part < s.parts; ++part) {
    rate *= rate_of_lines(bits, part * s.blocks, s.blocks, s.hashes);
  }
  return rate;
}

template struct erasure<multi_blocked_filter>;

}  // namespace bloomery
