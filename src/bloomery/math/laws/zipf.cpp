#include "bloomery/math/laws/zipf.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr double largest_exponent = 16;
constexpr std::uint64_t added_singly = 32;

void require_zipf(std::uint64_t keys, double exponent) {
  require_whole("keys", keys, 1, max_keys);
  if (exponent >= 0 && exponent <= largest_exponent) return;
  fail(errc::invalid, "the exponent is " + format_real(exponent) + "; allowed: 0 to " +
                          format_real(largest_exponent));
}

// ∫ x^-s dx between the two, without cancellation where s is near 1.
double power_integral(double from, double to, double s) {
  const double stretch = std::log(to / from);
  const double power = (1 - s) * stretch;
  if (power == 0) return stretch;
  if (std::abs(power) > 1) return (std::pow(to, 1 - s) - std::pow(from, 1 - s)) / (1 - s);
  return std::pow(from, 1 - s) * stretch * std::expm1(power) / power;
}

// The sum of x^-s for whole x above `from` to n, by Euler and Maclaurin. The terms for derivatives of
// order 2k - 1, with B(2k)/(2k)!, fall by (2π·from)^2 each: beyond the fifth they do not show.
double harmonic_tail(double from, double n, double s) {
  constexpr std::array coefficients{1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600,
                                    1.0 / 47900160};
  const double last = std::pow(n, -s);
  const double first = std::pow(from, -s);
  double sum = power_integral(from, n, s);
  sum += (last - first) / 2;
  double rising = s;  // s(s+1)…(s+2k-2)
  double at_first = first / from;
  double at_last = last / n;
  double order = s;
  for (const double coefficient : coefficients) {
    sum += coefficient * rising * (at_first - at_last);
    rising *= (order + 1) * (order + 2);
    order += 2;
    at_first /= from * from;
    at_last /= n * n;
  }
  return sum;
}

}  // namespace

double harmonic(std::uint64_t n, double exponent) {
  require_zipf(n, exponent);
  double sum = n <= added_singly ? 0 : harmonic_tail(real(added_singly), real(n), exponent);
  for (std::uint64_t i = std::min(n, added_singly); i > 0; --i) sum += std::pow(real(i), -exponent);
  return sum;
}

double zipf_probability(std::uint64_t rank, std::uint64_t keys, double exponent) {
  require_whole("rank", rank, 1, keys);
  return std::pow(real(rank), -exponent) / harmonic(keys, exponent);
}

// Neumaier's sum: what each addition loses is added at the end.
std::vector<double> zipf_cumulative(std::uint64_t keys, double exponent) {
  const double all = harmonic(keys, exponent);
  std::vector<double> result;
  result.reserve(keys);
  double sum = 0;
  double lost = 0;
  for (std::uint64_t i = 1; i <= keys; ++i) {
    const double term = std::pow(real(i), -exponent);
    const double next = sum + term;
    lost += sum >= term ? (sum - next) + term : (term - next) + sum;
    sum = next;
    result.push_back(std::min(1.0, (sum + lost) / all));
  }
  result.back() = 1;
  return result;
}

}  // namespace bloomery::math
