#include "bloomery/filters/set/partitioned.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {

template class bit_cells<partitioned_rule>;

void partitioned_shape::check() const {
  detail::require_total_bits(slice_bits, hashes, "slices");
}

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

math::bit_layout partitioned_rule::layout(const shape& s) {
  return math::partitioned_layout(s.slice_bits, s.hashes);
}

math::query_cost partitioned_rule::query_cost(const shape& s, std::uint64_t keys) {
  return math::partitioned_cost(s.slice_bits, keys, s.hashes);
}

partitioned_shape partitioned_rule::of_bits(std::uint64_t bits, std::uint64_t hashes) {
  return {detail::whole_parts(bits, hashes, "hashes"), hashes};
}

partitioned_shape partitioned_rule::folded(const shape& s, std::uint64_t factor) {
  return {detail::fold_field(s.slice_bits, factor, "slice_bits"), s.hashes};
}

template struct erasure<partitioned_filter>;

}  // namespace bloomery
