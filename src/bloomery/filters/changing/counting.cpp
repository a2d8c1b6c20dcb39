#include "bloomery/filters/changing/counting.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {

counting_shape counting_cells::plan(std::uint64_t keys, double rate) {
  const math::standard_size size = math::plan_standard(keys, rate);
  return {size.bits, size.hashes, math::counter_bits(size.bits, size.hashes * keys)};
}

double counting_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.counters, keys, s.hashes);
}

bool counting_cells::insert(const place& at) {
  bool fresh = false;
  for (const std::uint64_t i : at) {
    fresh |= counters_.get(i) == 0;
    counters_.increment(i);
  }
  return fresh;
}

bool counting_cells::erase(const place& at) {
  if (!contains(at) || count_is_full(at)) return false;  // stuck counters keep it forever
  for (const std::uint64_t i : at) counters_.decrement(i);
  return true;
}

std::uint64_t counting_cells::count(const place& at) const {
  std::uint64_t least = counters_.max_value();
  for (const std::uint64_t i : at) least = std::min(least, counters_.get(i));
  return least;
}

void counting_cells::merge(const counting_cells& other) {
  for (std::uint64_t i = 0; i < counters_.size(); ++i) {
    counters_.add(i, other.counters_.get(i));
  }
}

double counting_cells::current_rate() const {
  return math::instance_rate(fill(), probes_.count);
}

template struct erasure<counting_filter>;

}  // namespace bloomery
