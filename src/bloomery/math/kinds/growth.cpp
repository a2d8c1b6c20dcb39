#include "bloomery/math/kinds/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr double claims_all = 1e-9;  // of strangers that are not

// Between whole numbers of keys, along the line.
double standard_rate_at(std::uint64_t m, std::uint64_t k, double keys) {
  const auto below = static_cast<std::uint64_t>(keys);
  const double low = exact_rate(m, below, k);
  return low + (keys - real(below)) * (exact_rate(m, below + 1, k) - low);
}

// Simpson's rule; the rates are smooth and rise.
template <class Rate>
double integral(Rate rate, double end) {
  constexpr int panels = 32;
  double sum = rate(0) + rate(end);
  for (int i = 1; i < panels; ++i) sum += (i % 2 == 0 ? 2 : 4) * rate(end * i / panels);
  return sum * end / (3 * panels);
}

// How many keys must come for `stored` of them to be stored; infinite if more than max_keys must, or
// if the row would by then claim all but every key there is.
template <class Rate>
double arrivals_for(double stored, Rate rate) {
  constexpr int most_rounds = 60;
  constexpr double never = std::numeric_limits<double>::infinity();
  double come = stored;
  for (int round = 0; round < most_rounds; ++round) {
    const double unclaimed = 1 - rate(come);
    if (unclaimed < claims_all) return never;
    const double missing = stored - (come - integral(rate, come));
    come += missing / unclaimed;
    if (std::abs(missing) < 1e-9 * stored) break;
    if (come > real(max_keys)) return never;
  }
  return come;
}

}  // namespace

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

double rows_rate(std::uint64_t m, std::uint64_t k, std::uint64_t row_keys, std::uint64_t keys) {
  require_whole("row_keys", row_keys, 1, max_keys);
  const std::uint64_t full_rows = keys / row_keys;
  const double full =
      full_rows == 0 ? 0 : std::log1p(-exact_rate(m, row_keys, k)) * real(full_rows);
  return 0 - std::expm1(full + std::log1p(-exact_rate(m, keys % row_keys, k)));
}

double choosy_rows_rate(std::uint64_t m, std::uint64_t k, std::uint64_t row_keys,
                        std::uint64_t keys) {
  require_whole("row_keys", row_keys, 1, max_keys);
  const auto rate = [&](double come) { return standard_rate_at(m, k, come); };
  const double to_fill = arrivals_for(real(row_keys), rate);
  if (!std::isfinite(to_fill)) return rate(std::min(real(keys), real(max_keys)));
  const double full = rate(to_fill);
  double unclaimed = 1;
  auto left = real(keys);
  while (left * unclaimed > to_fill && unclaimed > min_rate) {
    left -= to_fill / unclaimed;
    unclaimed *= 1 - full;
  }
  return 1 - unclaimed * (1 - rate(left * unclaimed));
}

row_size plan_choosy_rows(std::uint64_t rows, std::uint64_t row_keys, double rate) {
  require_whole("rows", rows, 1, max_keys);
  (void)plan_standard(row_keys, rate);  // refuses what no filter can promise
  const auto sized = [&](double row_rate) { return plan_standard(row_keys, row_rate); };
  // The rate of a row lies between a share of the whole and the whole.
  double strict = std::log(rate / real(rows) / 2);
  double loose = std::log(rate);
  constexpr double closeness = 1e-3;
  while (loose - strict > closeness) {
    const double middle = (strict + loose) / 2;
    const standard_size size = sized(std::exp(middle));
    const double reached = choosy_rows_rate(size.bits, size.hashes, row_keys, rows * row_keys);
    (reached <= rate ? strict : loose) = middle;
  }
  const standard_size size = sized(std::exp(strict));
  return {size.bits, size.hashes};
}

}  // namespace bloomery::math
