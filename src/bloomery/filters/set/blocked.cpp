#include "bloomery/filters/set/blocked.hpp"

#include "bloomery/math/false_positive.hpp"
#include "bloomery/math/plan.hpp"

namespace bloomery {

template class bit_filter<blocked_rule>;

blocked_shape blocked_rule::plan(std::uint64_t keys, double rate) {
  const math::blocked_size size = math::plan_blocked(keys, rate, cache_line_bits);
  return {size.blocks, size.hashes};
}

double blocked_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::blocked_rate(s.blocks, cache_line_bits, keys, s.hashes);
}

double blocked_rule::current_rate(const shape& s, const bit_array& bits) {
  std::array<std::uint64_t, cache_line_bits + 1> blocks_with_ones{};
  for (std::uint64_t first = 0; first < bits.size(); first += cache_line_bits) {
    ++blocks_with_ones.at(bits.count(first, first + cache_line_bits));
  }
  return math::instance_rate(blocks_with_ones, s.hashes);
}

math::bit_layout blocked_rule::layout(const shape& s) {
  return math::blocked_layout(s.blocks, cache_line_bits, s.hashes);
}

math::query_cost blocked_rule::query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
  return math::one_line_cost;
}

blocked_shape blocked_rule::of_bits(std::uint64_t bits, std::uint64_t hashes) {
  return {whole_parts(bits, cache_line_bits, "bits a block"), hashes};
}

blocked_shape blocked_rule::folded(const shape& s, std::uint64_t factor) {
  return {fold_field(s.blocks, factor, "blocks"), s.hashes};
}

}  // namespace bloomery
