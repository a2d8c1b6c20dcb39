#include "bloomery/math/kinds/time_decaying.hpp"

#include <cmath>

#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr double euler_gamma = 0.57721566490153286;

double remembered(const time_decay& shape, double keys, double half_lives) {
  if (shape.cells == 1) return keys;
  const double mark = hit_probability(real(shape.cells), real(shape.hashes));
  const double theta = mark * keys / (half_lives * M_LN2);
  return keys + (euler_gamma * theta + std::lgamma(1 + theta)) / -std::log1p(-mark);
}

}  // namespace

double time_decaying_rate(const time_decay& shape, double keys, double half_lives,
                          bool others_before) {
  return marked_rate(shape.cells, shape.hashes,
                     others_before ? remembered(shape, keys, half_lives) : keys);
}

time_decay plan_time_decaying(std::uint64_t keys, double rate, double half_lives) {
  require_plannable(keys, rate);
  const auto size = fewest_units(rate, 1, [&](std::uint64_t m, std::uint64_t k) {
    return remembered({m, k}, real(keys), half_lives);
  });
  if (!size) refuse_window(keys, rate);
  return {size->units, size->hashes};
}

}  // namespace bloomery::math
