#include "bloomery/math/kinds/stable.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/binomial.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

// What happens to one cell with an arrival: set, or else taken down.
struct stable_law {
  double event;  // either
  double down;   // the share of events that take down

  explicit stable_law(const stable_size& shape) {
    const double set = hit_probability(real(shape.cells), real(shape.hashes));
    const double lowered = real(shape.decrements) / real(shape.cells) * (1 - set);
    event = set + lowered;
    down = lowered / event;
  }
};

double rate_at(const stable_size& shape, double fill) {
  return over_fills(shape.cells, fill,
                    [&](double share) { return std::pow(share, real(shape.hashes)); });
}

}  // namespace

double stable_fill(const stable_size& shape, std::uint64_t arrivals) {
  const stable_law law(shape);
  const double n = real(arrivals);
  if (law.event >= 1) return n == 0 ? 0 : 1 - std::pow(law.down, std::min(n, real(shape.highest)));
  double fill = at_least_of(n, shape.highest, law.event) * stable_limit(shape);
  each_binomial(
      n, law.event,
      [&](std::uint64_t j, double term) { fill += term * (1 - std::pow(law.down, real(j))); },
      [&](std::uint64_t j, double) { return j < shape.highest; });
  return std::min(fill, 1.0);  // the terms are rounded
}

double stable_limit(const stable_size& shape) {
  return 1 - std::pow(stable_law(shape).down, real(shape.highest));
}

double stable_rate(const stable_size& shape, std::uint64_t arrivals) {
  return rate_at(shape, stable_fill(shape, arrivals));
}

double stable_misses(const stable_size& shape, std::uint64_t gap) {
  const stable_law law(shape);
  const double lost =
      std::pow(law.down, real(shape.highest)) * at_least_of(real(gap), shape.highest, law.event);
  return -std::expm1(real(shape.hashes) * std::log1p(-lost));
}

double stable_decrements(std::uint64_t cells, std::uint64_t hashes, std::uint64_t highest,
                         double rate) {
  const double zeros = 1 - std::pow(rate, 1 / real(hashes));
  const double down = std::pow(zeros, 1 / real(highest));
  const double set = hit_probability(real(cells), real(hashes));
  return real(cells) * down * set / ((1 - down) * (1 - set));
}

stable_size plan_stable(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  std::optional<stable_size> best;
  std::uint64_t least = max_bits + 1;
  double guess = 10 * real(window);
  // Only whole numbers of cells are taken down, which counts the more the fewer there are: in windows of few keys
  // more cells may do worse.
  constexpr std::uint64_t jagged = 1000;
  const auto most_hashes = static_cast<std::uint64_t>(
      std::clamp(std::ceil(-std::log2(rate)) + 1, 1.0, real(max_hashes)));
  for (const std::uint64_t bits : {1U, 2U, 4U}) {
    for (std::uint64_t k = 1; k <= most_hashes; ++k) {
      const auto shape_of = [&](std::uint64_t cells) {
        const std::uint64_t highest = (std::uint64_t{1} << bits) - 1;
        const double exact = stable_decrements(cells, k, highest, rate);
        const double down = exact < real(cells) ? std::ceil(exact) : real(cells);
        return stable_size{cells, k, highest, static_cast<std::uint64_t>(down)};
      };
      // Over 0 where strangers are claimed or keys missed too often.
      const auto excess = [&](std::uint64_t m) {
        const stable_size shape = shape_of(m);
        const double claimed = rate_at(shape, stable_limit(shape)) / rate;
        return std::log(std::max(claimed, stable_misses(shape, window) / planned_misses));
      };
      const std::uint64_t most = max_bits / bits;
      std::optional<std::uint64_t> cells;
      if (window <= jagged) {
        cells = smallest(10 * real(window), most, [&](std::uint64_t m) { return excess(m) <= 0; });
      } else {
        // Most do not beat the best so far, and one trial shows it.
        const std::uint64_t better = best ? std::min(most, (least - 1) / bits) : most;
        if (better == 0 || (best && excess(better) > 0)) continue;
        cells = smallest_below(guess, better, -2, excess);
        if (cells) guess = real(*cells);
      }
      if (!cells || *cells * bits >= least) continue;
      best = shape_of(*cells);
      least = *cells * bits;
    }
  }
  if (!best) refuse_window(window, rate, "the limits of size");
  return *best;
}

}  // namespace bloomery::math
