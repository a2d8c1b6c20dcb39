#include "bloomery/math/kinds/distance_sensitive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

// How fast a share of hits tells chance p from chance q < p: the exponent of both errors an array.
double chernoff_information(double p, double q) {
  const double up = std::log(p / q);
  const double down = std::log1p(-q) - std::log1p(-p);
  const double middle = down / (up + down);
  return middle * std::log(middle / q) + (1 - middle) * (std::log1p(-middle) - std::log1p(-q));
}

// The lowest threshold that strangers reach rarely enough.
std::uint64_t threshold_for(std::uint64_t arrays, double hit, double rate) {
  return smallest_in(0, arrays + 1, [&](std::uint64_t threshold) {
    return far_claim_rate(arrays, threshold, hit) <= rate;
  });
}

struct draft {
  std::uint64_t functions = 0;
  double load = 0;    // keys a bit of an array
  double arrays = 0;  // about
};

// p1 = 1 is nearer than any number can say.
double below_one(double p) {
  return std::min(p, 1 - 1e-12);
}

std::optional<draft> cheapest(double keys, double rate, double near, double far) {
  std::optional<draft> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t g = 1; g <= max_functions; ++g) {
    const double p1 = below_one(std::pow(near, real(g)));
    const double p2 = std::pow(far, real(g));
    for (int half_steps = 0; half_steps < 40; ++half_steps) {
      const double load = std::exp2(-0.5 * half_steps);
      const double hit = at_least_once(p2, keys) - std::expm1(-load);
      if (hit >= p1) continue;
      const double arrays = std::max(1.0, -std::log(rate) / chernoff_information(p1, hit));
      if (arrays / load >= least) continue;
      least = arrays / load;
      best = draft{g, load, arrays};
    }
  }
  return best;
}

}  // namespace

double euclidean_collision(double distance, double width) {
  if (distance <= 0) return 1;
  // 1 - 2·Φ(-r) - 2·(1 - e^(-r²/2))/(√(2π)·r), r = width/distance.
  const double r = width / distance;
  return std::erf(r * M_SQRT1_2) + std::expm1(-r * r / 2) * M_2_SQRTPI * M_SQRT1_2 / r;
}

double near_miss_rate(std::uint64_t arrays, std::uint64_t threshold, double p1) {
  return threshold == 0 ? 0 : binomial_lower(threshold - 1, arrays, p1);
}

double far_claim_rate(std::uint64_t arrays, std::uint64_t threshold, double hit) {
  return threshold > arrays ? 0 : binomial_upper(threshold, arrays, hit);
}

double array_hit(std::uint64_t keys, double p2, std::uint64_t array_bits) {
  return at_least_once(p2 + (1 - p2) / real(array_bits), real(keys));
}

distance_size plan_distance_sensitive(std::uint64_t keys, double rate, double near, double far) {
  require_plannable(keys, rate);
  const auto count = real(keys);
  const std::optional<draft> chosen = cheapest(count, rate, near, far);
  const auto too_close = [&] {
    fail(errc::limit, "near and far are too close for " + std::to_string(keys) + " keys: no " +
                          std::to_string(max_arrays) + " arrays tell them apart");
  };
  if (!chosen) too_close();
  const double p1 = std::pow(near, real(chosen->functions));
  const double p2 = std::pow(far, real(chosen->functions));
  const double bits = std::ceil(count / chosen->load);
  constexpr std::uint64_t most = max_bits / max_arrays;
  if (bits > real(most)) {
    fail(errc::limit,
         std::to_string(keys) + " keys need arrays beyond " + std::to_string(most) + " bits");
  }
  const double hit = array_hit(keys, p2, static_cast<std::uint64_t>(bits));
  const auto arrays = smallest(chosen->arrays, max_arrays, [&](std::uint64_t k) {
    return near_miss_rate(k, threshold_for(k, hit, rate), p1) <= rate;
  });
  if (!arrays) too_close();
  const std::uint64_t threshold = threshold_for(*arrays, hit, rate);
  const auto claimed = [&](std::uint64_t m) {
    return far_claim_rate(*arrays, threshold, array_hit(keys, p2, m));
  };
  const auto array_bits = smallest(bits, static_cast<std::uint64_t>(bits),
                                   [&](std::uint64_t m) { return claimed(m) <= rate; });
  return {chosen->functions,
          *arrays,
          threshold,
          *array_bits,
          claimed(*array_bits),
          near_miss_rate(*arrays, threshold, p1)};
}

}  // namespace bloomery::math
