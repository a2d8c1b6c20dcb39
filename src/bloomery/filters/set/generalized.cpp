#include "bloomery/filters/set/generalized.hpp"

#include <algorithm>

#include "bloomery/filters/erasure.hpp"

namespace bloomery {

generalized_shape generalized_cells::plan(std::uint64_t keys, double rate) {
  const math::generalized_size size = math::plan_generalized(keys, rate);
  return {size.bits, size.zeros, size.ones};
}

// Zeros last: a bit that is to be both is zero.
bool generalized_cells::insert(const place& at) {
  const bool fresh = !contains(at);
  for (const std::uint64_t i : to_set(at)) bits_.set(i);
  for (const std::uint64_t i : to_clear(at)) bits_.clear(i);
  return fresh;
}

bool generalized_cells::contains(const place& at) const {
  const auto zeros = to_clear(at);
  const auto ones = to_set(at);
  return std::none_of(zeros.begin(), zeros.end(), [&](std::uint64_t i) { return bits_.test(i); }) &&
         std::all_of(ones.begin(), ones.end(), [&](std::uint64_t i) {
           return bits_.test(i) || std::find(zeros.begin(), zeros.end(), i) != zeros.end();
         });
}

template struct erasure<generalized_filter>;

}  // namespace bloomery
