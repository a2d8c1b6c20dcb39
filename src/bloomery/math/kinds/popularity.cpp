#include "bloomery/math/kinds/popularity.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <queue>
#include <utility>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

std::vector<unsigned> better_of(std::span<const demand> demands, double budget,
                                std::vector<unsigned> first, std::vector<unsigned> second) {
  return popularity_rate(demands, second, budget) < popularity_rate(demands, first, budget) ? second
                                                                                            : first;
}

// As many for all as fit.
std::vector<unsigned> alike(std::span<const demand> demands, double budget) {
  std::vector<unsigned> hashes(demands.size(), 1);
  const double each = budget / bits_set(demands, hashes);  // no number if there is nothing to set
  const double most = each > 0 ? std::min(std::floor(each), real(max_hashes)) : 0;
  std::fill(hashes.begin(), hashes.end(), static_cast<unsigned>(most));
  return hashes;
}

}  // namespace

double popularity_cost(std::span<const demand> demands, std::span<const unsigned> hashes) {
  double sum = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    sum += std::ldexp(demands[i].queries, -static_cast<int>(hashes[i]));
  }
  return sum;
}

double popularity_rate(std::span<const demand> demands, std::span<const unsigned> hashes,
                       double budget) {
  return queried_rate(demands, hashes, -std::expm1(-M_LN2 * bits_set(demands, hashes) / budget));
}

std::vector<unsigned> floored_hashes(std::span<const demand> demands, double budget) {
  const std::vector<double> merit_of = merits(demands);
  const double offset = greatest_offset(budget, [&](double at) {
    double sum = 0;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (demands[i].members == 0) continue;
      sum += demands[i].members * std::clamp(merit_of[i] + at, 0.0, real(max_hashes));
    }
    return sum;
  });
  return better_of(demands, budget, hashes_by(merit_of, offset), alike(demands, budget));
}

// All items above some worth to price fit; what the budget has left over is spent one by one.
std::vector<unsigned> greedy_hashes(std::span<const demand> demands, double budget) {
  const std::vector<double> merit_of = merits(demands);
  const double offset = greatest_offset(
      budget, [&](double at) { return bits_set(demands, hashes_by(merit_of, at)); });
  std::vector<unsigned> hashes = hashes_by(merit_of, offset);
  double left = budget - bits_set(demands, hashes);
  struct item {
    double worth;  // log2, to its price
    std::size_t key;
    bool operator<(const item& other) const {
      return worth != other.worth ? worth < other.worth : key > other.key;
    }
  };
  std::priority_queue<item> next;
  const auto offer = [&](std::size_t i) {
    if (hashes[i] < max_hashes && demands[i].queries > 0) {
      next.push({merit_of[i] - (hashes[i] + 1.0), i});
    }
  };
  for (std::size_t i = 0; i < demands.size(); ++i) offer(i);
  while (!next.empty()) {
    const std::size_t i = next.top().key;
    next.pop();
    if (demands[i].members > left) continue;
    left -= demands[i].members;
    ++hashes[i];
    offer(i);
  }
  return better_of(demands, budget, std::move(hashes), floored_hashes(demands, budget));
}

std::vector<unsigned> optimal_hashes(std::span<const demand> demands, unsigned budget) {
  // least[i][b]: the least cost of the first i keys for b, and the last one's hashes there.
  struct state {
    double cost = 0;
    unsigned hashes = 0;
  };
  std::vector<std::vector<state>> least(demands.size() + 1, std::vector<state>(budget + 1));
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const auto price = static_cast<unsigned>(demands[i].members);
    assert(price >= 1 && price == demands[i].members);
    for (unsigned b = 0; b <= budget; ++b) {
      state best{least[i][b].cost + demands[i].queries, 0};
      for (unsigned k = 1; k <= max_hashes && k * price <= b; ++k) {
        const double cost =
            least[i][b - k * price].cost + std::ldexp(demands[i].queries, -static_cast<int>(k));
        if (cost < best.cost) best = {cost, k};
      }
      least[i + 1][b] = best;
    }
  }
  std::vector<unsigned> hashes(demands.size());
  unsigned left = budget;
  for (std::size_t i = demands.size(); i-- > 0;) {
    hashes[i] = least[i + 1][left].hashes;
    left -= hashes[i] * static_cast<unsigned>(demands[i].members);
  }
  return hashes;
}

}  // namespace bloomery::math
