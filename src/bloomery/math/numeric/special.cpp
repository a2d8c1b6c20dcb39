#include "bloomery/math/numeric/special.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

constexpr double tiny = 1e-300;
constexpr double epsilon = 1e-16;
constexpr int max_terms = 1'000'000;

double upper_gamma(double a, double x) {  // Q(a, x)
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {  // the series for P converges fast here
    double term = 1 / a;
    double sum = term;
    for (double n = a + 1; term > sum * epsilon; ++n) {
      term *= x / n;
      sum += term;
    }
    return 1 - front * sum;
  }
  double b = x + 1 - a;
  double c = 1 / tiny;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < max_terms; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + an / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < epsilon) break;
  }
  return front * h;
}

double beta_fraction(double a, double b, double x) {
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  if (std::abs(d) < tiny) d = tiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m < max_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      if (std::abs(d) < tiny) d = tiny;
      c = 1 + term / c;
      if (std::abs(c) < tiny) c = tiny;
      d = 1 / d;
      step = d * c;
      h *= step;
    }
    if (std::abs(step - 1) < epsilon) break;
  }
  return h;
}

double regularized_beta(double a, double b, double x) {  // I_x(a, b)
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// The p in (low, high) at which `passed`, false and then true, turns.
template <class Passed>
double turning_point(double low, double high, Passed passed) {
  return border(low, high, [&](double p) { return !passed(p); }).middle();
}

}  // namespace

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  if (p > 0.5) return -normal_quantile(1 - p);
  // Newton steps on the exact tail, started from its asymptotic form; convergence is quadratic.
  double x = -std::sqrt(std::max(0.0, -2 * std::log(2 * p)));
  for (int i = 0; i < 60; ++i) {
    const double tail = std::erfc(-x / std::sqrt(2.0)) / 2;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    const double ratio = (tail - p) / density;
    const double step = ratio / (1 + x * ratio / 2);  // Halley's correction
    x -= step;
    if (std::abs(step) < 1e-15 * std::max(1.0, std::abs(x))) break;
  }
  return x;
}

double chi_square_upper(double x, double freedom) {
  return upper_gamma(freedom / 2, x / 2);
}

double student_two_sided(double t, double freedom) {
  return regularized_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double binomial_upper(std::uint64_t hits, std::uint64_t trials, double p) {
  if (hits == 0) return 1;
  if (hits > trials) return 0;
  const auto k = real(hits);
  return regularized_beta(k, real(trials) - k + 1, p);
}

double binomial_lower(std::uint64_t hits, std::uint64_t trials, double p) {
  if (hits >= trials) return 1;
  const auto k = real(hits);
  return regularized_beta(real(trials) - k, k + 1, 1 - p);
}

double binomial_two_sided(std::uint64_t hits, std::uint64_t trials, double p) {
  return std::min(1.0,
                  2 * std::min(binomial_upper(hits, trials, p), binomial_lower(hits, trials, p)));
}

interval binomial_interval(std::uint64_t hits, std::uint64_t trials, double confidence) {
  assert(hits <= trials && confidence > 0 && confidence < 1);
  const double tail = (1 - confidence) / 2;
  const double observed = real(hits) / real(trials);
  interval result;
  if (hits > 0) {
    result.low = turning_point(0, observed,
                               [&](double p) { return binomial_upper(hits, trials, p) >= tail; });
  }
  if (hits < trials) {
    result.high = turning_point(observed, 1,
                                [&](double p) { return binomial_lower(hits, trials, p) <= tail; });
  }
  return result;
}

interval binomial_range(std::uint64_t trials, double p, double confidence) {
  assert(p >= 0 && p <= 1 && confidence > 0 && confidence < 1);
  const double tail = (1 - confidence) / 2;
  const double mean = p * real(trials);
  const auto middle = static_cast<std::uint64_t>(mean);
  interval result{0, real(trials)};
  if (binomial_lower(0, trials, p) <= tail) {
    // The smallest count that, with all below it, is not too rare.
    result.low = real(smallest_in(
        0, middle + 1, [&](std::uint64_t x) { return binomial_lower(x, trials, p) > tail; }));
  }
  if (middle < trials && binomial_upper(trials, trials, p) <= tail) {
    result.high =
        real(smallest_in(middle, trials,
                         [&](std::uint64_t x) { return binomial_upper(x, trials, p) <= tail; }) -
             1);
  }
  return {std::max(0.0, std::min(result.low, std::floor(mean - 1))),
          std::min(real(trials), std::max(result.high, std::ceil(mean + 1)))};
}

double student_deviation(double freedom, double confidence) {
  assert(freedom >= 1 && confidence > 0 && confidence < 1);
  double high = 1;
  while (student_two_sided(high, freedom) > 1 - confidence) high *= 2;
  return turning_point(0, high,
                       [&](double t) { return student_two_sided(t, freedom) <= 1 - confidence; });
}

double at_least_once(double p, double trials) {
  return trials == 0 ? 0 : -std::expm1(trials * std::log1p(-p));
}

}  // namespace bloomery::math
