#include "bloomery/math/kinds/scalable.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {

std::uint64_t scalable_stages::hashes(std::uint64_t stage) const {
  const double log_rate =
      std::log2(compound_rate) + std::log2(1 - tightening) + real(stage) * std::log2(tightening);
  // A power of two, like 2^-7, takes 7 and not 8 for want of a last digit.
  constexpr double rounding = 1e-9;
  return std::clamp(static_cast<std::uint64_t>(std::ceil(-log_rate - rounding)), std::uint64_t{1},
                    max_hashes);
}

std::uint64_t scalable_stages::slice_bits(std::uint64_t stage) const {
  std::uint64_t bits = first_slice_bits;
  for (std::uint64_t i = 0; i < stage && growth > 1; ++i) {
    if (bits > max_bits / growth) {
      fail(errc::limit, "stage " + std::to_string(stage) + " would be beyond " +
                            std::to_string(max_bits) + " bits");
    }
    bits *= growth;
  }
  return bits;
}

std::uint64_t scalable_stages::bits(std::uint64_t stage) const {
  const std::uint64_t slice = slice_bits(stage);
  const std::uint64_t slices = hashes(stage);
  if (slice > max_bits / slices) {
    fail(errc::limit, "stage " + std::to_string(stage) + " would be beyond " +
                          std::to_string(max_bits) + " bits");
  }
  return slice * slices;
}

double scalable_stages::rate(std::uint64_t keys) const {
  double log_unclaimed = 0;  // of the chance that no earlier stage claims a stranger
  auto left = real(keys);
  double slice = real(first_slice_bits);
  for (std::uint64_t stage = 0;; ++stage, slice *= real(growth)) {
    const double come = left * std::exp(log_unclaimed);
    const double log_avoid = std::log1p(-1 / slice);
    const auto k = real(hashes(stage));
    const double room = -std::log(2) / log_avoid;
    if (come <= room) {
      const double fill = come == 0 ? 0 : -std::expm1(come * log_avoid);
      // 0 - x, so that no keys have no rate, and not -0.
      return 0 - std::expm1(log_unclaimed + std::log1p(-std::pow(fill, k)));
    }
    left -= room / std::exp(log_unclaimed);
    log_unclaimed += std::log1p(-std::exp2(-k));
  }
}

std::uint64_t half_filled_slice(std::uint64_t keys) {
  require_whole("keys", keys, 1, max_keys);
  const double bits = std::ceil(-1 / std::expm1(-std::log(2) / real(keys)));
  if (bits > real(max_bits))
    fail(errc::limit, "a slice would be beyond " + std::to_string(max_bits) + " bits");
  return static_cast<std::uint64_t>(bits);
}

double early_close_bound(std::uint64_t slice_bits, std::uint64_t slices, std::uint64_t keys) {
  require_whole("keys", keys, 1, max_keys);
  const double slice = real(slice_bits);
  const double before = real(keys - 1);  // the last comes when these are there
  if (before == 0) return 0;
  const double ones = slice_bits == 1 ? 1 : -slice * std::expm1(before * std::log1p(-1 / slice));
  const double room = real(slices) * (slice / 2 - ones);
  return room <= 0 ? 1 : std::exp(-2 * room * room / (real(slices) * before));
}

std::uint64_t roomy_slice(std::uint64_t keys, std::uint64_t slices, double chance) {
  const std::uint64_t half_filled = half_filled_slice(keys);
  const auto bits = smallest(real(half_filled), max_bits, [&](std::uint64_t slice) {
    return slice >= half_filled && early_close_bound(slice, slices, keys) <= chance;
  });
  if (!bits) fail(errc::limit, "a slice would be beyond " + std::to_string(max_bits) + " bits");
  return *bits;
}

}  // namespace bloomery::math
