#include "bloomery/filters/changing/blocked_counting.hpp"

#include <algorithm>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/blocked_counting.hpp"

namespace bloomery {

static_assert(math::line_of_counters(1).bits() == cache_line_bits);

blocked_counting_shape blocked_counting_cells::plan(std::uint64_t keys, double rate) {
  const math::line_counter_size size = math::plan_line_counters(keys, rate);
  return {size.blocks, size.hashes, size.counter_bits};
}

double blocked_counting_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::lane_blocked_rate(math::line_of_counters(s.counter_bits), s.blocks, keys, s.hashes);
}

// With more than eight hashes a key can have one counter twice; it adds two there, and erasing takes
// two.
bool blocked_counting_cells::insert(const place& at) {
  std::uint64_t least = counters_.max_value();
  pattern_.each(at.bits, [&](unsigned lane, unsigned cell) {
    least = std::min(least, counters_.increment(at.block, lane, cell));
  });
  return least == 0;
}

bool blocked_counting_cells::erase(const place& at) {
  if (!contains(at) || count_is_full(at)) return false;  // stuck counters keep it forever
  pattern_.each(at.bits,
                [&](unsigned lane, unsigned cell) { counters_.decrement(at.block, lane, cell); });
  return true;
}

std::uint64_t blocked_counting_cells::count(const place& at) const {
  std::uint64_t least = counters_.max_value();
  pattern_.each(at.bits, [&](unsigned lane, unsigned cell) {
    least = std::min(least, counters_.get(at.block, lane, cell));
  });
  return least;
}

double blocked_counting_cells::current_rate() const {
  double sum = 0;
  for (std::uint64_t block = 0; block < counters_.blocks(); ++block) {
    sum += math::lane_instance_rate(counters_.fills(block), hashes_);
  }
  return sum / static_cast<double>(counters_.blocks());
}

math::bit_layout blocked_counting_cells::layout() const {
  return math::lane_blocked_layout({hash::lane_count, counters_.per_lane()}, counters_.blocks(),
                                   hashes_);
}

template struct erasure<blocked_counting_filter>;

}  // namespace bloomery
