#include "bloomery/bits/table/count_bounds.hpp"

#include <algorithm>

#include "bloomery/core/int128.hpp"

namespace bloomery::bits {
namespace {

// Each flow at most what its least counter holds.
std::vector<std::uint64_t> least_counters(const incidence& flows,
                                          const std::vector<std::uint64_t>& held) {
  std::vector<std::uint64_t> least(flows.size(), ~std::uint64_t{0});
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const std::uint64_t a : flows[i]) least[i] = std::min(least[i], held[a]);
  }
  return least;
}

}  // namespace

// Repeated until neither moves, or for so long that they would hardly ever meet.
count_bounds bound_counts(const incidence& flows, const count_bounds& held) {
  count_bounds found{std::vector<std::uint64_t>(flows.size(), 1), least_counters(flows, held.high)};
  for (std::uint64_t& most : found.high) most = std::max<std::uint64_t>(1, most);
  std::vector<core::uint128> sums(held.low.size());
  const auto add_up = [&](const std::vector<std::uint64_t>& counts) {
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      for (const std::uint64_t a : flows[i]) sums[a] += counts[i];
    }
  };
  const auto left = [&](std::uint64_t holds, std::uint64_t a, std::uint64_t own) -> std::uint64_t {
    const core::uint128 others = sums[a] - own;
    return others < holds ? holds - static_cast<std::uint64_t>(others) : 0;
  };
  constexpr int most_passes = 2000;
  bool moved = true;
  for (int pass = 0; moved && pass < most_passes; ++pass) {
    moved = false;
    const auto improve = [&](std::uint64_t& bound, std::uint64_t better) {
      moved |= bound != better;
      bound = better;
    };
    add_up(found.low);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      std::uint64_t most = found.high[i];
      for (const std::uint64_t a : flows[i]) {
        most = std::min(most, left(held.high[a], a, found.low[i]));
      }
      improve(found.high[i], std::max(most, found.low[i]));
    }
    add_up(found.high);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      std::uint64_t least = found.low[i];
      for (const std::uint64_t a : flows[i]) {
        least = std::max(least, left(held.low[a], a, found.high[i]));
      }
      improve(found.low[i], std::min(least, found.high[i]));
    }
  }
  bool possible = true;
  add_up(found.low);
  for (std::size_t a = 0; a < sums.size(); ++a) possible &= sums[a] <= held.high[a];
  add_up(found.high);
  for (std::size_t a = 0; a < sums.size(); ++a) possible &= sums[a] >= held.low[a];
  if (possible) return found;
  return {std::vector<std::uint64_t>(flows.size(), 0), least_counters(flows, held.high)};
}

}  // namespace bloomery::bits
