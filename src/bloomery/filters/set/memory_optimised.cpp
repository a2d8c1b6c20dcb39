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

template struct erasure<memory_optimised_filter>;

}  // namespace bloomery
