#include "bloomery/filters/changing/multilayer_counting.hpp"

#include <limits>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {

multilayer_counting_shape multilayer_counting_cells::plan(std::uint64_t keys, double rate) {
  const math::standard_size size = math::plan_standard(keys, rate);
  detail::require_total_bits(2, size.bits, "counters");
  return {size.bits, size.hashes};
}

double multilayer_counting_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.counters, keys, s.hashes);
}

bool multilayer_counting_cells::insert(const place& at) {
  const bool fresh = !contains(at);
  for (const std::uint64_t i : at) counters_.increment(i);
  return fresh;
}

bool multilayer_counting_cells::erase(const place& at) {
  if (!contains(at)) return false;
  for (const std::uint64_t i : at) counters_.decrement(i);
  return true;
}

std::uint64_t multilayer_counting_cells::count(const place& at) const {
  if (!contains(at)) return 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t i : at) least = std::min(least, counters_.get(i));
  return least;
}

std::uint64_t multilayer_counting_cells::payload_bytes(const shape& s) {
  return bits::layered_counters::expected_bytes(s.counters, math::half_fill_load);
}

template struct erasure<multilayer_counting_filter>;

}  // namespace bloomery
