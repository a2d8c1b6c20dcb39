#include "bloomery/math/kinds/double_buffered.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

// The size of the union of two random sets has the hypergeometric variance.
double united_rate(const buffer_size& shape, double first_bits, double second_bits) {
  const double m = real(shape.bits);
  const double k = real(shape.hashes);
  const double first = std::min(1.0, first_bits / m);
  const double second = std::max(0.0, second_bits / m);
  const double fill = 1 - (1 - first) * (1 - second);
  const double variance = first * second * (1 - first) * (1 - second) / std::max(1.0, m - 1);
  return std::min(1.0, std::pow(fill, k) * (1 + k * (k - 1) / 2 * variance / (fill * fill)));
}

}  // namespace

double buffered_rate(const buffer_size& shape, std::uint64_t arrivals) {
  const double unswapped = exact_rate(shape.bits, arrivals, shape.hashes);
  return arrivals <= 2 * buffered_window(shape) ? unswapped
                                                : std::min(unswapped, buffered_peak(shape));
}

// The active buffer had from half to k - 1 bits more set when it took over; the bits set since are
// those of the other, which the next key brings to half: one to k are missing.
double buffered_peak(const buffer_size& shape) {
  const double half = real(half_full(shape.bits));
  return united_rate(shape, half + real(shape.hashes) - 1, half - 1);
}

double buffered_least_peak(const buffer_size& shape) {
  const double half = real(half_full(shape.bits));
  return united_rate(shape, half, half - real(shape.hashes));
}

buffer_size plan_buffers(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  std::optional<buffer_size> best;
  for (std::uint64_t k = 1; k <= max_hashes; ++k) {
    if (std::pow(0.75, real(k)) > rate || window > max_bits / 4 / k) continue;
    const std::uint64_t enough = 2 * k * (window - 1) + 1;  // for the window
    const auto bits = smallest(real(enough), max_bits / 2, [&](std::uint64_t m) {
      return m >= enough && buffered_peak({m, k}) <= rate;
    });
    if (bits && (!best || *bits < best->bits)) best = buffer_size{*bits, k};
  }
  if (!best) refuse_window(window, rate, "two buffers of at most 64 hashes, which end at 1e-8");
  // Before the first swap the rate is another, and lower.
  while (buffered_rate(*best, 2 * buffered_window(*best)) > rate) ++best->bits;
  return *best;
}

}  // namespace bloomery::math
