#include "bloomery/apps/lab/walk.hpp"

#include <string>

#include "bloomery/apps/random.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::lab {
namespace {

constexpr std::uint64_t most_positions = 10'000'000;
// Steps uniform in a square of half-side a have the mean length a·(√2 + ln(1 + √2)) / 3.
constexpr double reach = 1.3069;  // a, for a mean of 1

// Back from the border; a step is shorter than the side.
double within(double at, double side) {
  if (at < 0) return -at;
  return at > side ? 2 * side - at : at;
}

}  // namespace

void check(const walk_plan& plan) {
  math::require_whole("walkers", plan.walkers, 1, 100'000);
  math::require_whole("snapshots", plan.snapshots, 1, 10'000);
  if (plan.walkers * plan.snapshots > most_positions) {
    fail(errc::limit, std::to_string(plan.walkers) + " walkers at " +
                          std::to_string(plan.snapshots) + " moments are more than " +
                          std::to_string(most_positions) + " positions");
  }
  if (!(plan.stride > 0 && plan.stride < plan.side / 2)) {
    fail(errc::invalid, "a stride of " + format_real(plan.stride) +
                            "; allowed: more than 0 and less than half the side of " +
                            format_real(plan.side));
  }
}

std::vector<point> scattered(const walk_plan& plan, std::uint64_t seed) {
  std::vector<point> places;
  for (std::uint64_t i = 0; i < plan.walkers; ++i) {
    random_stream chance(seed, 2 * i);
    const double x = chance.uniform() * plan.side;
    places.push_back({x, chance.uniform() * plan.side});
  }
  return places;
}

// A step is uniform along each axis: sums and products only, so that all machines agree.
std::vector<std::vector<point>> walks(const walk_plan& plan, std::uint64_t seed) {
  check(plan);
  std::vector<random_stream> chances;
  for (std::uint64_t i = 0; i < plan.walkers; ++i) chances.emplace_back(seed, 2 * i + 1);
  std::vector<std::vector<point>> seen{scattered(plan, seed)};
  while (seen.size() < plan.snapshots) {
    std::vector<point> next = seen.back();
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto moved = [&](double from) {
        return within(from + (2 * chances[i].uniform() - 1) * reach * plan.stride, plan.side);
      };
      next[i].x = moved(next[i].x);
      next[i].y = moved(next[i].y);
    }
    seen.push_back(std::move(next));
  }
  return seen;
}

}  // namespace bloomery::lab
