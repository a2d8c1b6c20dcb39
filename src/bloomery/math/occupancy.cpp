#include "bloomery/math/occupancy.hpp"

#include <cassert>
#include <cmath>

namespace bloomery::math {
namespace {

double real(std::uint64_t value) {
  return static_cast<double>(value);
}

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
  return weighted_expm1(1, common, -log_avoid) +
         weighted_expm1(near_partners, common, near_log_ratio) +
         weighted_expm1(far_partners, common, far_log_ratio);
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
  return {real(m), real(k) * std::log1p(-x), real(m) - 1, real(k) * log_pair_ratio(x), 0, 0};
}

bit_layout partitioned_layout(std::uint64_t slice, std::uint64_t k) {
  assert(slice >= 1 && k >= 1);
  const double x = 1 / real(slice);
  const double bits = real(slice) * real(k);
  return {bits, std::log1p(-x), real(slice) - 1, log_pair_ratio(x), bits - real(slice), 0};
}

bit_layout blocked_layout(std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t k) {
  assert(blocks >= 1 && block_bits >= 2 && k >= 1);
  if (blocks == 1) return uniform_layout(block_bits, k);
  const double b = real(blocks);
  const double x = 1 / real(block_bits);
  const double keep_one = std::exp(real(k) * std::log1p(-x));  // q^k, inside the chosen block
  const double y = (1 - keep_one) / b;                         // a key hits a given bit
  // A key hits neither of two bits of one block with 1 - (1 - q2^k)/b, where q2 = 1 - 2x. Its
  // excess over β² is (1 - 2q^k + q2^k)/b - y², and the bracket is (1-q^k)² + q^2k·(q2^k/q^2k - 1).
  const double bracket = (1 - keep_one) * (1 - keep_one) +
                         keep_one * keep_one * std::expm1(real(k) * log_pair_ratio(x));
  const double near_excess = (bracket / b - y * y) / ((1 - y) * (1 - y));
  return {real(block_bits) * b,       std::log1p(-y),
          real(block_bits) - 1,       std::log1p(near_excess),
          real(block_bits) * (b - 1), log_pair_ratio(y)};
}

}  // namespace bloomery::math
