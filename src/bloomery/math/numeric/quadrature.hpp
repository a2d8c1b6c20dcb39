// Integrals.
//
// Citation: Gauss and Legendre's rule of ten points, exact for polynomials to degree 19; Simpson's.
//
//     const double area = bloomery::math::integral(0, 2, [](double x) { return x * x * x; });
//     assert(std::abs(area - 4) < 1e-14);
#pragma once

#include <array>

namespace bloomery::math {

// ∫ f(x) dx from a to a + width, as well as one polynomial can follow f there. The width may be too
// small beside a to show in their sum.
template <class Function>
double integral_over(double a, double width, Function f) {
  struct point {
    double at;
    double weight;
  };
  constexpr std::array points{
      point{0.1488743389816312, 0.2955242247147529}, point{0.4333953941292472, 0.2692667193099963},
      point{0.6794095682990244, 0.2190863625159821}, point{0.8650633666889845, 0.1494513491505806},
      point{0.9739065285171717, 0.0666713443086881}};
  const double half = width / 2;
  const double middle = a + half;
  double sum = 0;
  for (const auto& [at, weight] : points) {
    sum += weight * (f(middle - half * at) + f(middle + half * at));
  }
  return sum * half;
}

// ∫ f(x) dx from a to b.
template <class Function>
double integral(double a, double b, Function f) {
  return integral_over(a, b - a, f);
}

// The same by Simpson's rule in an even number of panels, for functions that have corners.
template <class Function>
double simpson(double a, double b, int panels, Function f) {
  const double width = b - a;
  double sum = f(a) + f(b);
  for (int i = 1; i < panels; ++i) sum += (i % 2 == 0 ? 2 : 4) * f(a + width * i / panels);
  return sum * width / (3 * panels);
}

}  // namespace bloomery::math
