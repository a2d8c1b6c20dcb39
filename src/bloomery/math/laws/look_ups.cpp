#include "bloomery/math/laws/look_ups.hpp"

#include <cassert>
#include <cmath>

namespace bloomery::math {

double any_of(double rate, std::uint64_t look_ups) {
  assert(rate >= 0 && rate <= 1);
  return any_of_expected(rate, static_cast<double>(look_ups));
}

double any_of_expected(double rate, double look_ups) {
  assert(rate >= 0 && rate <= 1 && look_ups >= 0);
  if (look_ups == 0) return 0;
  return 0 - std::expm1(look_ups * std::log1p(-rate));  // not -0 at rate 0
}

}  // namespace bloomery::math
