#include "bloomery/filters/set/memory_optimised.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {
namespace {

// How many hashes there are to pick from changes no rate; this is how many the examples of the papers
// have.
constexpr std::uint64_t planned_hashes = 4;

}  // namespace

template class bit_cells<memory_optimised_rule>;

memory_optimised_shape memory_optimised_rule::plan(std::uint64_t keys, double rate) {
  return {math::plan_one_hash(keys, rate), planned_hashes};
}

double memory_optimised_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.bits, keys, 1);
}

double memory_optimised_rule::current_rate(const shape& /*s*/, const bits::bit_array& bits) {
  return bits.fill();
}

math::bit_layout memory_optimised_rule::layout(const shape& s) {
  return math::uniform_layout(s.bits, 1);
}

math::query_cost memory_optimised_rule::query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
  return math::one_line_cost;
}

memory_optimised_shape memory_optimised_rule::folded(const shape& s, std::uint64_t factor) {
  return {detail::fold_field(s.bits, factor, "bits"), s.hashes};
}

template struct erasure<memory_optimised_filter>;

}  // namespace bloomery
