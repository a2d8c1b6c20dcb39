#include "bloomery/math/laws/occupancy.hpp"

#include <cassert>
#include <cmath>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// ln of (1 - 2x) / (1 - x)², the price of avoiding two things of probability x at once.
double log_pair_ratio(double x) {
  const double odds = x / (1 - x);
  return std::log1p(-odds * odds);
}

// 0·(-inf) is 0 here: no partners, or no keys, contribute nothing.
double weighted_expm1(double weight, double keys, double log_ratio) {
  return weight == 0 || keys == 0 ? 0.0 : weight * std::expm1(keys * log_ratio);
}

}  // namespace

double bit_layout::expected_zeros(double keys) const {
  return keys == 0 ? bits : bits * std::exp(keys * log_avoid);
}

double bit_layout::pair_excess(double common) const {
  double excess = weighted_expm1(1, common, -log_avoid);
  for (const sort& other : partners) {
    excess += weighted_expm1(other.count, common, other.log_ratio);
  }
  return excess;
}

double bit_layout::covariance(double a, double b, double common) const {
  // No shared keys, or no zeros left: nothing varies together, and 0·inf must not arise.
  const double scale = common == 0 ? 0.0 : bits * std::exp((a + b) * log_avoid);
  return scale == 0 ? 0.0 : scale * pair_excess(common);
}

double bit_layout::estimate_covariance(double common) const {
  return pair_excess(common) / (bits * log_avoid * log_avoid);
}

bit_layout uniform_layout(std::uint64_t m, std::uint64_t k) {
  assert(m >= 1 && k >= 1);
  const double x = 1 / real(m);
  return {.bits = real(m),
          .log_avoid = real(k) * std::log1p(-x),
          .partners = {{real(m) - 1, real(k) * log_pair_ratio(x)}}};
}

// Bits of different slices are independent: ln r = 0.
bit_layout partitioned_layout(std::uint64_t slice, std::uint64_t k) {
  assert(slice >= 1 && k >= 1);
  const double x = 1 / real(slice);
  return {.bits = real(slice) * real(k),
          .log_avoid = std::log1p(-x),
          .partners = {{real(slice) - 1, log_pair_ratio(x)}}};
}

}  // namespace bloomery::math
