#include "bloomery/math/kinds/block_decaying.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/forgetting.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// Keys that a cell remembers on average, by their expected zeros: block e has seen the last
// least_life + e arrivals, e = 0..T-1, or all of them.
double remembered(const block_decay& shape, double arrivals) {
  const double least = real(shape.least_life());
  if (arrivals <= least || shape.cells() == 1) return arrivals;
  const double log_avoid = real(shape.hashes) * std::log1p(-1 / real(shape.cells()));
  const double blocks = real(shape.blocks);
  const double full = std::min(blocks, arrivals - least);  // blocks that have forgotten something
  const double forgetful = std::expm1(full * log_avoid) / std::expm1(log_avoid);
  const double others = (blocks - full) * std::exp((arrivals - least) * log_avoid);
  return least + std::log((forgetful + others) / blocks) / log_avoid;
}

}  // namespace

std::uint64_t block_decay::counter_bits() const {
  return static_cast<std::uint64_t>(std::bit_width(start()));
}

double block_decaying_rate(const block_decay& shape, std::uint64_t arrivals) {
  return marked_rate(shape.cells(), shape.hashes, remembered(shape, real(arrivals)));
}

block_decay plan_block_decaying(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  constexpr std::uint64_t widest = 4;
  std::optional<block_decay> best;
  for (std::uint64_t bits = 1; bits <= widest; ++bits) {
    const std::uint64_t turns = std::max<std::uint64_t>(1, (std::uint64_t{1} << bits) - 2);
    block_decay shape{std::max<std::uint64_t>(1, (window - 1 + turns - 1) / turns), 1, 1, window};
    if (shape.blocks > max_bits / widest) continue;
    const auto size = fewest_units(rate, shape.blocks, [&](std::uint64_t m, std::uint64_t k) {
      return remembered({shape.blocks, m / shape.blocks, k, window}, real(max_items));
    });
    if (!size || size->units > max_bits / widest / shape.blocks) continue;
    shape.block_cells = size->units;
    shape.hashes = size->hashes;
    const auto total = [](const block_decay& s) { return s.cells() * s.counter_bits(); };
    if (!best || total(shape) < total(*best)) best = shape;
  }
  if (!best) refuse_window(window, rate);
  return *best;
}

}  // namespace bloomery::math
