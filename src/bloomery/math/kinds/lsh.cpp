#include "bloomery/math/kinds/lsh.hpp"

#include <cmath>

namespace bloomery::math {

double hamming_collision(double differing_share) {
  return 1 - differing_share;
}

double jaccard_collision(double distance) {
  return 1 - distance;
}

double euclidean_collision(double distance, double width) {
  if (distance <= 0) return 1;
  // 1 - 2·Φ(-r) - 2·(1 - e^(-r²/2))/(√(2π)·r), r = width/distance.
  const double r = width / distance;
  return std::erf(r * M_SQRT1_2) + std::expm1(-r * r / 2) * M_2_SQRTPI * M_SQRT1_2 / r;
}

}  // namespace bloomery::math
