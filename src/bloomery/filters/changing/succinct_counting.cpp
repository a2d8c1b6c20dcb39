#include "bloomery/filters/changing/succinct_counting.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/succinct_counting.hpp"

namespace bloomery {

static_assert(math::unary_line::home == bits::unary_lines::home_bits &&
              math::unary_line::further == hash::lane_bits);

succinct_counting_shape succinct_counting_cells::plan(std::uint64_t keys, double rate) {
  const math::unary_line_size size = math::plan_unary_lines(keys, rate);
  return {size.blocks, size.hashes, size.spill};
}

double succinct_counting_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return blocked_rule::predicted_rate({s.blocks, s.hashes}, keys);
}

blocked_filter succinct_counting_cells::plain(const filter_record& record) const {
  return {plain_shape(), record, blocked_cells(plain_shape(), lines_.bits())};
}

double succinct_counting_cells::current_rate() const {
  return blocked_rule::current_rate(plain_shape(), lines_.bits());
}

math::estimate succinct_counting_cells::estimated_keys(double confidence) const {
  return math::estimate_keys(blocked_rule::layout(plain_shape()),
                             lines_.bits().size() - lines_.bits().count(), confidence);
}

math::overlap succinct_counting_cells::estimated_overlap(const succinct_counting_cells& other,
                                                         double confidence) const {
  return bloomery::estimated_overlap(blocked_rule::layout(plain_shape()), lines_.bits(),
                                     other.lines_.bits(), confidence);
}

template struct erasure<succinct_counting_filter>;

}  // namespace bloomery
