#include "bloomery/math/kinds/succinct_counting.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/block_loads.hpp"
#include "bloomery/math/laws/concentration.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

constexpr lane_block unary_block{unary_line::lanes, 64};
constexpr std::uint64_t most_unary_blocks = max_bits / unary_block.bits() / 4;
constexpr std::uint64_t twice_full = unary_line::home + unary_line::further;

double most_spilling_twice(std::uint64_t blocks, std::uint64_t n, std::uint64_t k) {
  return std::min(1.0, real(blocks) * longer_share(blocks, n, k, twice_full));
}

// What a block and a line spilled to take, in bytes.
constexpr std::uint64_t block_bytes = 128;
constexpr std::uint64_t spill_bytes = 72;

std::uint64_t spill_for(std::uint64_t blocks, std::uint64_t n, std::uint64_t k) {
  const double share = longer_share(blocks, n, k, unary_line::home);
  const double rest = planned_freeze - most_spilling_twice(blocks, n, k);
  const double guess = real(blocks) * share + 6 * std::sqrt(real(blocks) * share);
  const auto wanted = smallest(guess, blocks, [&](std::uint64_t spill) {
    return spill == blocks ||
           parted_rate_tail(real(blocks), share, real(spill + 1) / real(blocks)) <= rest;
  });
  // A quarter is to stay free, so that lines are found in a few steps; and where there are few, some
  // are for keys that come often.
  constexpr std::uint64_t few = 4;
  return std::max(*wanted + *wanted / 3, std::min(blocks, few));
}

}  // namespace

double longer_share(std::uint64_t blocks, std::uint64_t n, std::uint64_t k, std::uint64_t length) {
  require_whole("blocks", blocks, 1, max_bits / unary_block.bits());
  require_whole("hashes", k, 1, unary_block.most_hashes());
  const std::uint64_t rounds = unary_block.rounds(k);
  const std::uint64_t picked = unary_block.picked(k);
  if (picked == unary_block.lanes) {
    const std::uint64_t load = length / (rounds + 1) + 1;
    return n < load ? 0 : binomial_upper(load, n, 1 / real(blocks));
  }
  const double chance = real(picked) / real(unary_block.lanes);
  const auto bounded = [](double one) { return std::min(1.0, real(unary_line::lanes) * one); };
  if (rounds == 0) {
    return n <= length ? 0 : bounded(binomial_upper(length + 1, n, chance / real(blocks)));
  }
  return bounded(mean_over_loads(blocks, n, [&](std::uint64_t load) {
    if (load > length) return 1.0;
    const std::uint64_t lacking = length + 1 - load;
    return load < lacking ? 0.0 : binomial_upper(lacking, load, chance);
  }));
}

double freeze_tail(std::uint64_t blocks, std::uint64_t n, std::uint64_t k, std::uint64_t spill) {
  const double twice = most_spilling_twice(blocks, n, k);
  if (spill >= blocks) return twice;
  const double share = longer_share(blocks, n, k, unary_line::home);
  return std::min(1.0,
                  twice + parted_rate_tail(real(blocks), share, real(spill + 1) / real(blocks)));
}

unary_line_size plan_unary_lines(std::uint64_t keys, double rate) {
  const blocked_size fewest = plan_blocked(keys, rate, unary_block);
  std::optional<unary_line_size> best;
  const auto bytes = [](const unary_line_size& size) {
    return size.blocks * block_bytes + size.spill * spill_bytes;
  };
  // More hashes than give the fewest blocks would take more of everything.
  for (std::uint64_t k = fewest.hashes; k >= 1; --k) {
    auto blocks =
        smallest_within(real(fewest.blocks), most_unary_blocks, rate, [&](std::uint64_t b) {
          return lane_blocked_rate(b, keys, recent_load_rates(unary_block, k));
        });
    // Strings that a line at home and one more do not hold are to be as rare as a frozen line.
    if (blocks) {
      blocks = smallest(real(*blocks), most_unary_blocks, [&](std::uint64_t b) {
        return b >= *blocks && most_spilling_twice(b, keys, k) <= planned_freeze / 2;
      });
    }
    if (!blocks) break;
    const unary_line_size size{*blocks, k, spill_for(*blocks, keys, k),
                               lane_blocked_rate(*blocks, keys, recent_load_rates(unary_block, k))};
    if (best && bytes(size) >= bytes(*best)) break;
    best = size;
  }
  if (!best) refuse_rate(rate);
  return *best;
}

}  // namespace bloomery::math
