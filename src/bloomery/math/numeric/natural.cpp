#include "bloomery/math/numeric/natural.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace bloomery::math {
namespace {

constexpr unsigned limb_bits = 32;

// The highest 96 bits, as a fraction of the highest limb.
double leading(const std::vector<std::uint32_t>& limbs) {
  double value = 0;
  double scale = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, limbs.size()); ++i) {
    value += static_cast<double>(limbs[limbs.size() - 1 - i]) * scale;
    scale = std::ldexp(scale, -static_cast<int>(limb_bits));
  }
  return value;
}

}  // namespace

natural::natural(std::uint64_t value) {
  for (; value != 0; value >>= limb_bits) limbs_.push_back(static_cast<std::uint32_t>(value));
}

void natural::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

natural& natural::operator+=(const natural& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    carry += limbs_[i];
    if (i < other.limbs_.size()) carry += other.limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(carry);
    carry >>= limb_bits;
  }
  trim();
  return *this;
}

natural& natural::operator-=(const natural& other) {
  assert(limbs_.size() >= other.limbs_.size());
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint64_t taken = borrow + (i < other.limbs_.size() ? other.limbs_[i] : 0U);
    borrow = taken > limbs_[i] ? 1 : 0;
    limbs_[i] = static_cast<std::uint32_t>((borrow << limb_bits) + limbs_[i] - taken);
  }
  assert(borrow == 0);
  trim();
  return *this;
}

natural& natural::operator*=(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry);
    carry >>= limb_bits;
  }
  limbs_.push_back(static_cast<std::uint32_t>(carry));
  trim();
  return *this;
}

natural operator*(const natural& a, const natural& b) {
  natural product;
  product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += product.limbs_[i + j] + std::uint64_t{a.limbs_[i]} * b.limbs_[j];
      product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= limb_bits;
    }
    product.limbs_[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
  }
  product.trim();
  return product;
}

double ratio(const natural& a, const natural& b) {
  if (a.limbs_.empty()) return 0;
  const auto higher = static_cast<int>(a.limbs_.size()) - static_cast<int>(b.limbs_.size());
  return std::ldexp(leading(a.limbs_) / leading(b.limbs_), static_cast<int>(limb_bits) * higher);
}

natural power(std::uint32_t base, std::uint64_t exponent) {
  natural result(1);
  for (std::uint64_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace bloomery::math
