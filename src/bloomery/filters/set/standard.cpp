#include "bloomery/filters/set/standard.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {

template class bit_cells<standard_rule>;

standard_shape standard_rule::plan(std::uint64_t keys, double rate) {
  const math::standard_size size = math::plan_standard(keys, rate);
  return {size.bits, size.hashes};
}

double standard_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.bits, keys, s.hashes);
}

double standard_rule::current_rate(const shape& s, const bits::bit_array& bits) {
  return math::instance_rate(bits.fill(), s.hashes);
}

template struct erasure<standard_filter>;

}  // namespace bloomery
