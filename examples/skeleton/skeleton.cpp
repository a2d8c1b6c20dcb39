#include "skeleton.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery {

// The smallest shape whose own predicted rate keeps the promise. The rate falls as bits grow.
skeleton_shape skeleton_cells::plan(std::uint64_t keys, double rate) {
  math::require_plannable(keys, rate);
  const auto size =
      math::smallest(static_cast<double>(keys) / rate, max_bits,
                     [&](std::uint64_t m) { return predicted_rate({m}, keys) <= rate; });
  if (!size) math::refuse_rate(rate);
  return {*size};
}

double skeleton_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.bits, keys, 1);
}

template struct erasure<skeleton_filter>;

}  // namespace bloomery
