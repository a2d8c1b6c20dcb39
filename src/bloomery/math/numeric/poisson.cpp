#include "bloomery/math/numeric/poisson.hpp"

#include <cmath>
#include <initializer_list>

namespace bloomery::math {

double stirling_error(double n) {
  constexpr double series_from = 16;
  if (n < series_from) {
    return std::lgamma(n + 1) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2 * M_PI);
  }
  const double s = 1 / (n * n);
  return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / n;
}

double deviance(double mean, double gap) {
  const double count = mean + gap;
  if (std::abs(gap) >= 0.1 * (count + mean)) return count * std::log(count / mean) - gap;
  const double v = gap / (count + mean);
  double term = 2 * count * v;
  double sum = gap * v;
  for (double odd = 3;; odd += 2) {
    term *= v * v;
    const double next = sum + term / odd;
    if (next == sum) return sum;
    sum = next;
  }
}

double log_poisson(double count, double mean, double gap) {
  return -stirling_error(count) - deviance(mean, gap) - 0.5 * std::log(2 * M_PI * count);
}

double log_poisson(double count, double mean) {
  return log_poisson(count, mean, count - mean);
}

double angle_less_sine(double angle) {
  if (angle > 0.5) return angle - std::sin(angle);
  const double s = angle * angle;  // of the series, what comes after is less than a part in 10^17
  double sum = 1;
  for (const double step : {1.0 / (14 * 15), 1.0 / (12 * 13), 1.0 / (10 * 11), 1.0 / (8 * 9),
                            1.0 / (6 * 7), 1.0 / (4 * 5)}) {
    sum = 1 - s * step * sum;
  }
  return angle * s / 6 * sum;
}

}  // namespace bloomery::math
