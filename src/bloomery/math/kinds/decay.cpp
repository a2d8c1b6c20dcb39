#include "bloomery/math/kinds/decay.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

constexpr double euler_gamma = 0.57721566490153286;

struct sized {
  std::uint64_t units;  // of `unit` cells
  std::uint64_t hashes;
};

// The fewest units, over all k, at which m cells hold keys_of(m, k) keys within the rate. The textbook's
// rate finds k, the exact one the size.
template <class KeysOf>
std::optional<sized> fewest_units(double rate, std::uint64_t unit, KeysOf keys_of) {
  if (unit > max_bits) return std::nullopt;
  const std::uint64_t most = max_bits / unit;
  const auto units_for = [&](std::uint64_t k, double guess, auto rate_of) {
    return smallest(guess, most, [&](std::uint64_t units) {
      return rate_of(units * unit, k, keys_of(units * unit, k)) <= rate;
    });
  };
  const auto textbook = [](std::uint64_t m, std::uint64_t k, double keys) {
    return std::pow(hit_probability(real(m), real(k) * keys), real(k));
  };
  std::optional<sized> best;
  const double halvings = -std::log2(rate);
  const auto last = static_cast<std::uint64_t>(std::clamp(halvings + 2, 1.0, real(max_hashes)));
  for (std::uint64_t k = std::max<std::uint64_t>(1, last / 2); k <= last; ++k) {
    const double guess = real(k) * keys_of(max_bits, k) / real(unit);
    const auto units = units_for(k, guess, textbook);
    if (units && (!best || *units < best->units)) best = sized{*units, k};
  }
  if (!best) return best;
  const auto exact = units_for(best->hashes, real(best->units), marked_rate);
  if (!exact) return std::nullopt;
  return sized{*exact, best->hashes};
}

[[noreturn]] void refuse_window(std::uint64_t keys, double rate) {
  fail(errc::limit, "no window of " + std::to_string(keys) + " keys within " +
                        format_size(max_bits / 8) + " reaches a rate of " + format_ratio(rate));
}

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

double remembered(const time_decay& shape, double keys, double half_lives) {
  if (shape.cells == 1) return keys;
  const double mark = hit_probability(real(shape.cells), real(shape.hashes));
  const double theta = mark * keys / (half_lives * M_LN2);
  return keys + (euler_gamma * theta + std::lgamma(1 + theta)) / -std::log1p(-mark);
}

}  // namespace

double marked_rate(std::uint64_t m, std::uint64_t k, double keys) {
  require_filter(m, k);
  coverage_chain chain(m, k);
  chain.advance(static_cast<std::uint64_t>(std::ceil(std::min(real(k) * keys, real(max_items)))));
  return chain.covered();
}

std::uint64_t stamp_bits(std::uint64_t window) {
  return static_cast<std::uint64_t>(std::bit_width(2 * window));
}

std::uint64_t stamp_cycle(std::uint64_t window) {
  return (std::uint64_t{1} << stamp_bits(window)) - 1;
}

std::uint64_t cells_swept(std::uint64_t cells, std::uint64_t window) {
  const std::uint64_t spare = stamp_cycle(window) - window;
  return (cells - 1) / spare + 1;
}

double decaying_rate(std::uint64_t cells, std::uint64_t k, std::uint64_t window,
                     std::uint64_t arrivals) {
  return exact_rate(cells, std::min(window, arrivals), k);
}

std::uint64_t block_decay::start() const {
  return (window - 1 + blocks - 1) / blocks + 1;
}

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

double time_decaying_rate(const time_decay& shape, double keys, double half_lives,
                          bool others_before) {
  return marked_rate(shape.cells, shape.hashes,
                     others_before ? remembered(shape, keys, half_lives) : keys);
}

time_decay plan_time_decaying(std::uint64_t keys, double rate, double half_lives) {
  require_plannable(keys, rate);
  const auto size = fewest_units(rate, 1, [&](std::uint64_t m, std::uint64_t k) {
    return remembered({m, k}, real(keys), half_lives);
  });
  if (!size) refuse_window(keys, rate);
  return {size->units, size->hashes};
}

}  // namespace bloomery::math
