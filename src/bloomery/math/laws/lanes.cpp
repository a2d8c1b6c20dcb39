#include "bloomery/math/laws/lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/block_loads.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

double choose(std::uint64_t n, std::uint64_t k) {
  double ways = 1;
  for (std::uint64_t i = 0; i < k; ++i) ways = ways * real(n - i) / real(i + 1);
  return std::round(ways);
}

// The query's bits that no key has set yet: how many lanes lack two of them, and how many lack one.
struct missing {
  std::uint64_t two = 0;
  std::uint64_t one = 0;
};

// Probabilities of all states of `lanes` lanes.
class distribution {
 public:
  explicit distribution(std::uint64_t lanes) : side_(lanes + 1), weights_(side_ * side_, 0.0) {}

  [[nodiscard]] std::size_t index(missing m) const { return m.two * side_ + m.one; }
  [[nodiscard]] double& operator[](std::size_t index) { return weights_[index]; }
  [[nodiscard]] double& at(missing m) { return weights_[index(m)]; }
  [[nodiscard]] double at(missing m) const { return weights_[index(m)]; }

  // Calls visit(state, probability) for each state with any, of at most so many of each sort; a visit
  // may change the distribution only if it was given a copy of it.
  template <class Visit>
  void for_each(missing most, Visit visit) const {
    for (std::uint64_t two = 0; two <= most.two; ++two) {
      for (std::uint64_t one = 0; one <= most.one && two + one < side_; ++one) {
        const double weight = at({two, one});
        if (weight > 0) visit(missing{two, one}, weight);
      }
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for_each({side_ - 1, side_ - 1}, visit);
  }
  void clear(missing most) {
    for (std::uint64_t two = 0; two <= most.two; ++two) {
      std::fill_n(weights_.begin() + static_cast<std::ptrdiff_t>(two * side_), most.one + 1, 0.0);
    }
  }

  // With one lane more, in state 0, 1 or 2 with the given chances.
  [[nodiscard]] distribution with_lane(const std::array<double, 3>& chances) const {
    distribution more(side_);
    for_each([&](missing m, double weight) {
      more.at(m) += weight * chances[0];
      more.at({m.two, m.one + 1}) += weight * chances[1];
      more.at({m.two + 1, m.one}) += weight * chances[2];
    });
    return more;
  }

 private:
  std::uint64_t side_;
  std::vector<double> weights_;
};

// How many of `unset` bits of a lane stay so when a key sets `balls` random ones of it.
std::array<double, 3> still_unset(double lane_bits, std::uint64_t unset, std::uint64_t balls) {
  const double x = 1 / lane_bits;
  if (unset == 0) return {1, 0, 0};
  if (unset == 1) {
    const double hit = hit_probability(lane_bits, real(balls));
    return {hit, 1 - hit, 0};
  }
  switch (balls) {
    case 0:
      return {0, 0, 1};
    case 1:
      return {0, 2 * x, 1 - 2 * x};
    default:
      return {2 * x * x, 2 * x * (1 - 2 * x) * 2 + 2 * x * x, (1 - 2 * x) * (1 - 2 * x)};
  }
}

// What lanes that lack so many of the query's bits become by one key that picked some of them, which get
// one ball more than the others.
class lanes_after {
 public:
  lanes_after(const lane_block& block, std::uint64_t unset, std::uint64_t rounds)
      : others_(still_unset(real(block.lane_bits), unset, rounds)),
        picked_(still_unset(real(block.lane_bits), unset, rounds + 1)) {
    distribution none(0);
    none.at({0, 0}) = 1;
    of_.push_back({none});
  }

  [[nodiscard]] const distribution& of(std::uint64_t lanes, std::uint64_t picked) {
    while (of_.size() <= lanes) {
      const std::vector<distribution>& fewer = of_.back();
      std::vector<distribution> more;
      for (const distribution& d : fewer) more.push_back(d.with_lane(others_));
      more.push_back(fewer.back().with_lane(picked_));
      of_.push_back(std::move(more));
    }
    return of_[lanes][picked];
  }

 private:
  std::array<double, 3> others_;
  std::array<double, 3> picked_;
  std::vector<std::vector<distribution>> of_;  // by lanes, by how many of them are picked
};

}  // namespace

class lane_chain {
 public:
  lane_chain(const lane_block& block, std::uint64_t k)
      : block_(block),
        rounds_(block.rounds(k)),
        picked_(block.picked(k)),
        most_{rounds_ == 0 ? 0 : picked_, block.lanes},
        now_(block.lanes),
        next_(block.lanes),
        after_one_(block, 1, rounds_),
        after_two_(block, 2, rounds_),
        steps_((block.lanes + 1) * (block.lanes + 1)) {
    // The query: `picked` lanes with a bit more than the others, which in a second round may be the same.
    const double same = 1 / real(block.lane_bits);
    if (rounds_ == 0) {
      now_.at({0, picked_}) = 1;
    } else {
      for (std::uint64_t two = 0; two <= picked_; ++two) {
        now_.at({two, block.lanes - two}) = choose(picked_, two) * std::pow(1 - same, real(two)) *
                                            std::pow(same, real(picked_ - two));
      }
    }
  }

  [[nodiscard]] double covered() const { return std::min(1.0, now_.at({0, 0})); }
  [[nodiscard]] double uncovered() const {
    double sum = 0;
    now_.for_each(most_,
                  [&](missing m, double weight) { sum += m.two + m.one > 0 ? weight : 0.0; });
    return sum;
  }

  // Whether uncovered() may have come down to a rounding error.
  [[nodiscard]] bool nearly_all() const { return now_.at({0, 0}) > 0.99; }

  void advance() {
    now_.for_each(most_, [&](missing m, double here) {
      step& its = steps_[m.two * (block_.lanes + 1) + m.one];
      if (its.empty()) its = after_one_key(m);
      for (const auto& [to, chance] : its) next_[to] += here * chance;
    });
    now_.clear(most_);
    std::swap(now_, next_);
  }

 private:
  using step = std::vector<std::pair<std::size_t, double>>;

  // The key's picked lanes are a random subset: p2 and p1 of them are among the lanes of each sort.
  [[nodiscard]] step after_one_key(missing from) {
    const std::uint64_t rest = block_.lanes - from.two - from.one;
    const double all = choose(block_.lanes, picked_);
    distribution to(block_.lanes);
    std::vector<double> ones(from.one + 1);
    for (std::uint64_t p2 = 0; p2 <= std::min(from.two, picked_); ++p2) {
      std::ranges::fill(ones, 0.0);
      for (std::uint64_t p1 = 0; p1 <= std::min(from.one, picked_ - p2); ++p1) {
        const std::uint64_t p0 = picked_ - p2 - p1;
        if (p0 > rest) continue;
        const double chance = choose(from.two, p2) * choose(from.one, p1) * choose(rest, p0) / all;
        const distribution& after = after_one_.of(from.one, p1);
        for (std::uint64_t i = 0; i <= from.one; ++i) ones[i] += chance * after.at({0, i});
      }
      after_two_.of(from.two, p2).for_each([&](missing m, double chance) {
        for (std::uint64_t i = 0; i <= from.one; ++i) {
          to.at({m.two, m.one + i}) += chance * ones[i];
        }
      });
    }
    step steps;
    to.for_each(most_, [&](missing m, double chance) { steps.emplace_back(to.index(m), chance); });
    return steps;
  }

  lane_block block_;
  std::uint64_t rounds_;
  std::uint64_t picked_;
  missing most_;  // that a query can lack
  distribution now_;
  distribution next_;  // all 0
  lanes_after after_one_;
  lanes_after after_two_;
  std::vector<step> steps_;  // of each state, once it is met
};

namespace {

void require_lanes(const lane_block& block, std::uint64_t k) {
  require_whole("lanes", block.lanes, 1, max_hashes);
  require_whole("lane_bits", block.lane_bits, 2, max_bits / block.lanes);
  require_whole("hashes", k, 1, block.most_hashes());
}

}  // namespace

load_rates::load_rates(const lane_block& block, std::uint64_t k) {
  require_lanes(block, k);
  chain_ = std::make_unique<lane_chain>(block, k);
}
load_rates::load_rates(load_rates&& other) noexcept = default;
load_rates& load_rates::operator=(load_rates&& other) noexcept = default;
load_rates::~load_rates() = default;

// Whether a block of so many keys claims less than everything.
bool load_rates::below_one(std::uint64_t load) {
  constexpr double nothing = 1e-17;
  while (chain_ && rates_.size() <= load) {
    if (chain_->nearly_all() && chain_->uncovered() < nothing) {  // the rest is rounding
      chain_.reset();
    } else {
      rates_.push_back(chain_->covered());
      chain_->advance();
    }
  }
  return load < rates_.size();
}

// Plans for one sort of block differ in keys and rate, and ask for the same few k again.
load_rates& recent_load_rates(const lane_block& block, std::uint64_t k) {
  struct known {
    lane_block block;
    std::uint64_t k;
    load_rates rates;
  };
  constexpr std::size_t most = 32;
  thread_local std::vector<known> all;
  thread_local std::size_t oldest = 0;
  const auto found =
      std::ranges::find_if(all, [&](const known& one) { return one.block == block && one.k == k; });
  if (found != all.end()) return found->rates;
  known fresh{block, k, load_rates(block, k)};
  if (all.size() < most) return all.emplace_back(std::move(fresh)).rates;
  known& place = all[std::exchange(oldest, (oldest + 1) % most)];
  place = std::move(fresh);
  return place.rates;
}

std::vector<double> rates_by_load(const lane_block& block, std::uint64_t k) {
  load_rates known(block, k);
  std::vector<double> rates;
  while (known.below_one(rates.size())) rates.push_back(known.at(rates.size()));
  return rates;
}

double lane_blocked_rate(std::uint64_t blocks, std::uint64_t n, load_rates& by_load) {
  require_whole("blocks", blocks, 1, max_bits);
  // If even half the mean load fills a block, emptier ones cannot matter, and an absurd n would
  // take absurdly long.
  constexpr double surely_near_mean = 1000;
  const double mean = real(n) / real(blocks);
  if (mean > surely_near_mean &&
      !by_load.below_one(static_cast<std::uint64_t>(std::ceil(mean / 2)) - 1))
    return 1;
  return mean_over_loads(blocks, n, [&](std::uint64_t load) { return by_load.at(load); });
}

double lane_blocked_rate(const lane_block& block, std::uint64_t blocks, std::uint64_t n,
                         std::uint64_t k) {
  require_lanes(block, k);
  require_whole("blocks", blocks, 1, max_bits / block.bits());
  return lane_blocked_rate(blocks, n, recent_load_rates(block, k));
}

double lane_instance_rate(std::span<const double> lane_fills, std::uint64_t k) {
  const lane_block block{lane_fills.size(), 1};
  // The mean, over subsets of `picked` lanes, of the product of their fills: an elementary
  // symmetric polynomial, one lane after another.
  const std::uint64_t picked = block.picked(k);
  std::vector<double> sums(picked + 1, 0.0);
  sums[0] = 1;
  double all = 1;
  for (const double fill : lane_fills) {
    for (std::uint64_t i = picked; i > 0; --i) sums[i] += sums[i - 1] * fill;
    all *= std::pow(fill, real(block.rounds(k)));
  }
  return all * sums[picked] / choose(block.lanes, picked);
}

bit_layout lane_blocked_layout(const lane_block& block, std::uint64_t blocks, std::uint64_t k) {
  require_lanes(block, k);
  const double b = real(blocks);
  const double x = 1 / real(block.lane_bits);
  const double lanes = real(block.lanes);
  const double rounds = real(block.rounds(k));
  const double picked = real(block.picked(k));
  // What a key that picked the block does to given bits of it. One bit, two of a lane, one in each
  // of two lanes: the chance that it sets none of them.
  const double one = std::pow(1 - x, rounds) * (1 - picked / lanes * x);
  const double same_lane = std::pow(1 - 2 * x, rounds) * (1 - picked / lanes * 2 * x);
  const double two_lanes =
      block.lanes == 1
          ? 1.0
          : std::pow(1 - x, 2 * rounds) * (1 - 2 * picked / lanes * x +
                                           picked * (picked - 1) / (lanes * (lanes - 1)) * x * x);
  const double y = (1 - one) / b;  // a key sets a given bit
  // The chance to spare two bits over that to spare each, less one: ((1-2·one+two)/b - y²)/(1-y)².
  const auto log_ratio = [&](double neither) {
    return std::log1p(((1 - 2 * one + neither) / b - y * y) / ((1 - y) * (1 - y)));
  };
  const double far = blocks == 1 ? 0.0 : log_ratio(2 * one - 1);
  return {.bits = b * real(block.bits()),
          .log_avoid = std::log1p(-y),
          .partners = {{real(block.lane_bits) - 1, log_ratio(same_lane)},
                       {real(block.lane_bits) * (lanes - 1), log_ratio(two_lanes)},
                       {real(block.bits()) * (b - 1), far}}};
}

}  // namespace bloomery::math
