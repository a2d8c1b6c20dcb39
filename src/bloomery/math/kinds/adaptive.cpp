#include "bloomery/math/kinds/adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

struct moments {
  double mean;
  double variance;
};

// Mean and variance of the fill after n keys, by Runge and Kutta's fourth order; with claimed keys'
// bits or without. The claims are E[fill^k], to second order.
moments fill_moments(double bits, double n, double k, bool claims) {
  const double by_key = -std::expm1(k * std::log1p(-1 / bits));
  const auto slope = [&](moments at) -> moments {
    const double claimed = claims ? std::pow(at.mean, k) : 0;
    const double of_claims = claims ? k * std::pow(at.mean, k - 1) / bits : 0;
    const double spread = claimed * k * (k - 1) / 2 * at.variance / (at.mean * at.mean);
    return {by_key * (1 - at.mean) + (claimed + (at.mean > 0 ? spread : 0)) / bits,
            2 * (of_claims - by_key) * at.variance +
                (k * at.mean * (1 - at.mean) + claimed) / (bits * bits)};
  };
  constexpr int steps = 64;
  const double step = n / steps;
  const auto moved = [](moments at, moments by, double times) -> moments {
    return {at.mean + times * by.mean, at.variance + times * by.variance};
  };
  moments now{0, 0};
  for (int i = 0; i < steps && now.mean < 1 - 1 / bits; ++i) {
    const moments a = slope(now);
    const moments b = slope(moved(now, a, step / 2));
    const moments c = slope(moved(now, b, step / 2));
    const moments d = slope(moved(now, c, step));
    now = moved(moved(now, a, step / 6), d, step / 6);
    now = moved(moved(now, b, step / 3), c, step / 3);
  }
  return now;
}

}  // namespace

double adaptive_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  const auto bits = real(m);
  const auto hashes = real(k);
  const auto keys = real(n);
  constexpr double surely_full = 40;
  if (n == 0) return 0;
  if (hashes * keys / bits > surely_full) return 1;
  const moments with = fill_moments(bits, keys, hashes, true);
  const moments without = fill_moments(bits, keys, hashes, false);
  if (with.mean >= 1 - 1 / bits) return 1;
  // So many balls make that fill; the claimed keys' bits are the excess over k·n.
  const double balls =
      hashes * keys + (std::log1p(-with.mean) - std::log1p(-without.mean)) / std::log1p(-1 / bits);
  const auto whole = static_cast<std::uint64_t>(balls);
  const double below = cover_probability(m, k, whole);
  const double part = balls - std::floor(balls);
  const double rate = below + part * (cover_probability(m, k, whole + 1) - below);
  const double wider = std::max(0.0, with.variance - without.variance);
  return std::min(1.0, rate * (1 + hashes * (hashes - 1) / 2 * wider / (with.mean * with.mean)));
}

adaptive_size plan_adaptive(std::uint64_t keys, double rate) {
  const standard_size least = plan_standard(keys, rate);
  const auto bits = smallest_within(real(least.bits), max_bits, rate, [&](std::uint64_t m) {
    return adaptive_rate(m, keys, least.hashes);
  });
  if (!bits) {
    fail(errc::limit, "no adaptive filter within " + format_size(max_bits / 8) +
                          " reaches a rate of " + format_ratio(rate));
  }
  return {*bits, least.hashes};
}

}  // namespace bloomery::math
