#include "bloomery/math/false_positive.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace bloomery::math {
namespace {

// Follows the bins that a query's k balls occupy while insertions throw balls at m bins: state u is
// the number of those bins not hit yet, and falls by one with probability u/m per ball. The query
// is a false positive when u = 0.
class coverage_chain {
 public:
  coverage_chain(std::uint64_t m, std::uint64_t k)
      : m_(static_cast<double>(m)), state_(k + 1, 0.0) {
    state_[0] = 1;  // the distribution of distinct bins among k balls, one ball at a time
    for (std::uint64_t ball = 0; ball < k; ++ball) {
      for (std::size_t d = ball + 1; d > 0; --d) {
        const auto occupied = static_cast<double>(d);
        state_[d] =
            state_[d] * occupied / m_ + state_[d - 1] * std::max(0.0, m_ - (occupied - 1)) / m_;
      }
      state_[0] = 0;
    }
  }

  [[nodiscard]] double covered() const { return std::min(1.0, state_[0]); }  // despite rounding

  void advance_one() {
    for (std::size_t u = 0; u < state_.size(); ++u) {
      const double stay = 1 - static_cast<double>(u) / m_;
      const double fall =
          u + 1 < state_.size() ? state_[u + 1] * static_cast<double>(u + 1) / m_ : 0.0;
      state_[u] = state_[u] * stay + fall;
    }
  }

  // Repeated squaring of the triangular step matrix. Its entries are nonnegative, so nothing
  // cancels; the diagonal is reset each time because it alone would drift.
  void advance(std::uint64_t balls) {
    if (balls == 0) return;
    const std::size_t size = state_.size();
    std::vector<double> step(size * size, 0.0);  // step[u*size+v] = P(u -> v), v <= u
    for (std::size_t u = 0; u < size; ++u) {
      if (u > 0) step[u * size + u - 1] = static_cast<double>(u) / m_;
    }
    std::vector<double> square(size * size, 0.0);
    std::vector<double> next(size, 0.0);
    double steps = 1;
    for (;; balls >>= 1, steps *= 2) {
      for (std::size_t u = 0; u < size; ++u) step[u * size + u] = stay_probability(u, steps);
      if ((balls & 1) != 0) {
        std::fill(next.begin(), next.end(), 0.0);
        for (std::size_t u = 0; u < size; ++u) {
          for (std::size_t v = 0; v <= u; ++v) next[v] += state_[u] * step[u * size + v];
        }
        state_.swap(next);
      }
      if (balls == 1) return;
      std::fill(square.begin(), square.end(), 0.0);
      for (std::size_t u = 0; u < size; ++u) {
        for (std::size_t w = 0; w <= u; ++w) {
          const double first = step[u * size + w];
          for (std::size_t v = 0; v <= w; ++v) {
            square[u * size + v] += first * step[w * size + v];
          }
        }
      }
      step.swap(square);
    }
  }

 private:
  [[nodiscard]] double stay_probability(std::size_t u, double steps) const {
    const auto bins = static_cast<double>(u);
    return bins >= m_ ? 0.0 : std::exp(steps * std::log1p(-bins / m_));
  }

  double m_;
  std::vector<double> state_;
};

double real(std::uint64_t value) {
  return static_cast<double>(value);
}

// 1 - (1 - 1/bins)^balls
double hit_probability(double bins, double balls) {
  if (bins <= 1) return balls > 0 ? 1 : 0;
  return -std::expm1(balls * std::log1p(-1 / bins));
}

}  // namespace

double classic_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  assert(m >= 1 && k >= 1);
  return std::pow(hit_probability(real(m), real(k) * real(n)), real(k));
}

double asymptotic_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  assert(m >= 1 && k >= 1);
  return std::pow(-std::expm1(-real(k) * real(n) / real(m)), real(k));
}

double exact_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  assert(m >= 1 && k >= 1);
  coverage_chain chain(m, k);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  chain.advance(n > most / k ? most : k * n);
  return chain.covered();
}

double partitioned_rate(std::uint64_t slice, std::uint64_t n, std::uint64_t k) {
  assert(slice >= 1 && k >= 1);
  return std::pow(hit_probability(real(slice), real(n)), real(k));
}

double blocked_rate(std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t n,
                    std::uint64_t k) {
  assert(blocks >= 1 && block_bits >= 1 && k >= 1);
  if (blocks == 1) return exact_rate(block_bits, n, k);

  // Binomial weights relative to the mode, normalised by their own sum: no factorials, and nothing
  // below 1e-30 of the mode can matter.
  constexpr double negligible = 1e-30;
  const double odds = 1 / (real(blocks) - 1);
  const auto mode = static_cast<std::uint64_t>((real(n) + 1) / real(blocks));
  // Blocks at half the mean load are full to double precision, and emptier ones cannot matter:
  // without this an absurd n would take absurdly long.
  constexpr double surely_full = 64;
  constexpr std::uint64_t surely_near_mean = 1000;
  if (mode > surely_near_mean && real(k) * real(mode) / 2 > surely_full * real(block_bits))
    return 1;
  std::uint64_t first = std::min(mode, n);
  double first_weight = 1;
  while (first > 0) {
    const double weight =
        first_weight * real(first) / (real(n - first) + 1) / odds;  // P(first-1) / P(first)
    if (weight < negligible) break;
    first_weight = weight;
    --first;
  }

  coverage_chain chain(block_bits, k);
  chain.advance(k * first);
  double weight = first_weight;
  double total = 0;
  double rate = 0;
  for (std::uint64_t load = first;; ++load) {
    total += weight;
    rate += weight * chain.covered();
    if (load == n) break;
    weight *= real(n - load) / real(load + 1) * odds;
    if (load >= mode && weight < negligible) break;
    for (std::uint64_t ball = 0; ball < k; ++ball) chain.advance_one();
  }
  return rate / total;
}

double instance_rate(double fill, std::uint64_t k) {
  return std::pow(fill, real(k));
}

double instance_rate(std::span<const double> slice_fills) {
  double rate = 1;
  for (const double fill : slice_fills) rate *= fill;
  return rate;
}

double instance_rate(std::span<const std::uint64_t> blocks_with_ones, std::uint64_t k) {
  assert(blocks_with_ones.size() >= 2);
  const double block_bits = real(blocks_with_ones.size() - 1);
  double blocks = 0;
  double sum = 0;
  for (std::size_t ones = 0; ones < blocks_with_ones.size(); ++ones) {
    blocks += real(blocks_with_ones[ones]);
    sum += real(blocks_with_ones[ones]) * std::pow(real(ones) / block_bits, real(k));
  }
  return sum / blocks;
}

}  // namespace bloomery::math
