#include "bloomery/filters/set/blocked.hpp"

#include <bit>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {

namespace {
constexpr math::lane_block block{hash::lane_count, hash::lane_bits};
static_assert(block.bits() == cache_line_bits &&
              block.most_hashes() == hash::line_pattern::most_hashes);
}  // namespace

template class bit_cells<blocked_rule>;

blocked_shape blocked_rule::plan(std::uint64_t keys, double rate) {
  const math::blocked_size size = math::plan_blocked(keys, rate, block);
  return {size.blocks, size.hashes};
}

double blocked_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::lane_blocked_rate(block, s.blocks, keys, s.hashes);
}

double rate_of_lines(const bits::bit_array& bits, std::uint64_t first, std::uint64_t count,
                     std::uint64_t hashes) {
  double sum = 0;
  std::array<double, hash::lane_count> fills{};
  for (std::uint64_t b = first; b < first + count; ++b) {
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      fills[lane] = std::popcount(bits.word(b * hash::lane_count + lane)) / double{hash::lane_bits};
    }
    sum += math::lane_instance_rate(fills, hashes);
  }
  return sum / static_cast<double>(count);
}

math::bit_layout blocked_rule::layout(const shape& s) {
  return math::lane_blocked_layout(block, s.blocks, s.hashes);
}

template struct erasure<blocked_filter>;

}  // namespace bloomery
