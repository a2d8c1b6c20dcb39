#include "bloomery/math/laws/reconciliation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/peeling.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {

double rateless_density(std::uint64_t symbol) {
  return 2 / (2 + real(symbol));
}

double rateless_overhead() {
  // Whether peeling goes on at every share of keys that are left.
  const auto succeeds = [](double overhead) {
    constexpr int steps = 2000;
    for (int i = 1; i <= steps; ++i) {
      const double left = static_cast<double>(i) / steps;
      const double stays = std::exp(2 * std::expint(-2 * left / overhead));  // Ei(-x) is -E1(x)
      if (stays >= left) return false;
    }
    return true;
  };
  return border(
             1, 3, [&](double x) { return !succeeds(x); }, 1e-6)
      .high;
}

double estimated_difference(std::span<const std::int64_t> counts) {
  require_whole("counts", counts.size(), 2, max_keys);
  const auto all = static_cast<double>(counts[0]);
  double sum = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const double share = rateless_density(i);
    const double off = static_cast<double>(counts[i]) - share * all;
    sum += off * off / (share * (1 - share));
  }
  return sum / real(counts.size() - 1);
}

std::uint64_t iblt_cells(std::uint64_t differences, std::uint64_t k) {
  constexpr double most_failures = 0.01;
  const std::uint64_t keys = std::max<std::uint64_t>(differences, 2);
  const auto fits = [&](std::uint64_t cells) {
    return cells > 2 * k && peeling_failure(cells, keys, k).most <= most_failures;
  };
  return smallest(peeling_threshold(k) * 1.3 * real(keys), max_keys, fits).value_or(max_keys);
}

double tree_share_at_least(double node_rate, double leaf_rate, double depth,
                           std::uint64_t correction) {
  require_share("node_rate", node_rate);
  require_share("leaf_rate", leaf_rate);
  const double stopped = std::min(1.0, depth * std::pow(node_rate, real(correction) + 1));
  return (1 - leaf_rate) * (1 - stopped);
}

double tree_visits_at_most(std::uint64_t common, std::uint64_t mine, std::uint64_t theirs,
                           std::uint64_t correction) {
  constexpr int deepest = 128;
  require_whole("correction", correction, 0, 32);
  // (1 - x)^keys, also where x is tiny.
  const auto none = [](double keys, double x) {
    if (x >= 1) return keys == 0 ? 1.0 : 0.0;
    return std::exp(keys * std::log1p(-x));
  };
  const auto branches = [&](double keys, double half) {
    return 1 - 2 * none(keys, half) + none(keys, 2 * half);
  };
  double differing = 0;
  for (int depth = 0; depth < deepest; ++depth) {
    const double half = std::ldexp(1.0, -depth - 1);
    const double prefixes = std::ldexp(1.0, depth);
    const double equal = none(real(mine + theirs), 2 * half) * branches(real(common), half);
    const double more = prefixes * (branches(real(common + mine), half) - equal);
    // Few keys share a prefix that long, and what is left is the rounding of the difference.
    if (prefixes > 10 * real(common + mine + 1) * real(common + mine + 1)) break;
    differing += std::max(0.0, more);
  }
  // Each has two children; those that do not differ themselves are the roots of what is equal.
  const double equal_roots = std::max(0.0, differing - real(mine) + 1);
  return differing + real(mine) +
         equal_roots * (std::ldexp(1.0, static_cast<int>(correction) + 1) - 1);
}

double trie_depth(std::uint64_t leaves) {
  constexpr double beyond = std::numbers::egamma / std::numbers::ln2 + 0.5;
  return std::log2(std::max(2.0, real(leaves))) + beyond;
}

std::vector<double> robust_soliton(std::uint64_t blocks, double c, double delta) {
  require_whole("blocks", blocks, 2, 1 << 24);
  const double n = real(blocks);
  const double ripple = c * std::log(n / delta) * std::sqrt(n);
  const auto spike = static_cast<std::uint64_t>(std::clamp(std::round(n / ripple), 1.0, n));
  std::vector<double> shares(blocks);
  double total = 0;
  for (std::uint64_t degree = 1; degree <= blocks; ++degree) {
    const double d = real(degree);
    double share = degree == 1 ? 1 / n : 1 / (d * (d - 1));
    if (degree < spike) share += ripple / (d * n);
    if (degree == spike) share += ripple * std::log(ripple / delta) / n;
    shares[degree - 1] = share;
    total += share;
  }
  for (double& each : shares) each /= total;
  return shares;
}

}  // namespace bloomery::math
