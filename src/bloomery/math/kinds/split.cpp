#include "bloomery/math/kinds/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/quadrature.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

constexpr double claims_all = 1e-9;  // of strangers that are not

// Between whole numbers of keys, along the line.
template <class Rate>
double between(double keys, Rate rate) {
  const auto below = static_cast<std::uint64_t>(keys);
  const double low = rate(below);
  return low + (keys - real(below)) * (rate(below + 1) - low);
}

double standard_rate_at(std::uint64_t m, std::uint64_t k, double keys) {
  return between(keys, [&](std::uint64_t n) { return exact_rate(m, n, k); });
}

// What a row claims on its way. From `few` keys on the closed form is off by two keys in 100,000 at most, and
// by less the more there are.
double claimed(std::uint64_t m, std::uint64_t k, double come) {
  constexpr int panels = 32;
  constexpr double few = 8;
  return simpson(0, come, panels, [&](double keys) {
    if (come < few) return standard_rate_at(m, k, keys);
    return between(keys, [&](std::uint64_t n) { return second_order_rate(m, n, k); });
  });
}

// How many keys must come for `stored` of them to be stored; infinite if more than max_keys must, or
// if the row would by then claim all but every key there is.
double arrivals_for(double stored, std::uint64_t m, std::uint64_t k) {
  constexpr int most_rounds = 60;
  constexpr double never = std::numeric_limits<double>::infinity();
  double come = stored;
  for (int round = 0; round < most_rounds; ++round) {
    const double unclaimed = 1 - standard_rate_at(m, k, come);
    if (unclaimed < claims_all) return never;
    const double missing = stored - (come - claimed(m, k, come));
    come += missing / unclaimed;
    if (std::abs(missing) < 1e-9 * stored) break;
    if (come > real(max_keys)) return never;
  }
  return come;
}

}  // namespace

double choosy_rows_rate(std::uint64_t m, std::uint64_t k, std::uint64_t row_keys,
                        std::uint64_t keys) {
  require_whole("row_keys", row_keys, 1, max_keys);
  const auto rate = [&](double come) { return standard_rate_at(m, k, come); };
  const double to_fill = arrivals_for(real(row_keys), m, k);
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
  // The rate of a row lies between a share of the whole and the whole. What is found out on the way to where
  // that is, along lines of slope 1, is not asked again.
  const double least = std::log(rate / real(rows) / 2);
  double kept = least;
  double broken = std::log(rate);
  const auto keeps = [&](double log_rate) {
    if (log_rate <= kept || log_rate >= broken) return log_rate <= kept;
    const standard_size size = sized(std::exp(log_rate));
    const double reached = choosy_rows_rate(size.bits, size.hashes, row_keys, rows * row_keys);
    (reached <= rate ? kept : broken) = log_rate;
    return reached <= rate;
  };
  constexpr double closeness = 1e-3;
  const standard_size shared = sized(rate / real(rows));
  const double reached = choosy_rows_rate(shared.bits, shared.hashes, row_keys, rows * row_keys);
  const double near = std::log(rate / real(rows)) - std::log(reached / rate);
  for (double off = closeness; keeps(near + off); off *= 4) {
  }
  for (double off = closeness; !keeps(near - off); off *= 4) {
  }
  const double strict = border(least, std::log(rate), keeps, closeness).low;
  const standard_size size = sized(std::exp(strict));
  return {size.bits, size.hashes};
}

}  // namespace bloomery::math
