#include "bloomery/apps/overlay/quadtree.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery::overlay {

quadtree::quadtree(std::uint64_t side, const standard_shape& summaries)
    : side_(static_cast<std::uint32_t>(side)),
      top_(static_cast<std::uint32_t>(std::countr_zero(side))),
      shape_(summaries) {
  if (!std::has_single_bit(side) || side < 2 || side > 64) {
    fail(errc::invalid,
         "a region of side " + std::to_string(side) + "; allowed: a power of two from 2 to 64");
  }
}

square quadtree::unit_at(double x, double y) const {
  const auto within = [&](double at) {
    return static_cast<std::uint32_t>(std::clamp(at, 0.0, static_cast<double>(side_) - 0.5));
  };
  return {0, within(x), within(y)};
}

void quadtree::settle(digest host, double x, double y) {
  const square unit = unit_at(x, y);
  for (square at = unit; at.level <= top_; at = at.parent()) {
    const auto side = static_cast<double>(1U << at.level);
    const double right = x - (at.x + 0.5) * side;
    const double up = y - (at.y + 0.5) * side;
    const double distance = right * right + up * up;
    const auto [known, fresh] =
        squares_.try_emplace(at, inhabited{standard_filter(shape_), distance, unit});
    known->second.hosts.insert(host);
    if (distance < known->second.distance) {
      known->second.distance = distance;
      known->second.relay = unit;
    }
  }
}

const standard_filter* quadtree::summary(square of) const {
  const auto found = squares_.find(of);
  return found == squares_.end() ? nullptr : &found->second.hosts;
}

// Depth first, the smallest squares first: those are nearest.
struct quadtree::search {
  const quadtree& region;
  const test& claims;
  const test& answers;
  journey trip;

  bool answered(square unit) {
    if (answers(unit)) trip.found = unit;
    return trip.found.has_value();
  }
  // Whether the host is in this square, forwarded to or one's own.
  bool enter(square unit, square within) {
    if (within.level == 0) return answered(unit);
    if (claims(unit)) {
      if (answered(unit)) return true;
      trip.in_vain.push_back(unit);
    }
    for (square at = unit; at.level < within.level; at = at.parent()) {
      for (const square next : at.siblings()) {
        const auto there = region.squares_.find(next);
        if (there == region.squares_.end() || !claims(next)) continue;
        if (enter(there->second.relay, next)) {
          ++trip.led;
          return true;
        }
        trip.in_vain.push_back(next);
      }
    }
    return false;
  }
};

journey quadtree::route_by(const test& claims, square from, const test& answers) const {
  search looking{*this, claims, answers, {}};
  looking.enter(from, {top_, 0, 0});
  return std::move(looking.trip);
}

journey quadtree::route(square from, digest host, const test& answers) const {
  const auto claims = [&](square asked) {
    const standard_filter* hosts = summary(asked);
    return hosts != nullptr && hosts->may_contain(host);
  };
  return route_by(claims, from, answers);
}

}  // namespace bloomery::overlay
