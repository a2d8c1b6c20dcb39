#include "bloomery/math/coverage.hpp"

#include <algorithm>
#include <cmath>

namespace bloomery::math {
namespace {

// Calls apply(step) with the step matrix of so many balls for each power of two in `balls`, where
// step[u*size+v] = P(u -> v), v <= u. Repeated squaring of a triangular matrix whose entries are
// nonnegative, so nothing cancels; the diagonal is reset each time because it alone would drift.
template <class Apply>
void for_each_power(double m, std::size_t size, std::uint64_t balls, Apply apply) {
  if (balls == 0) return;
  const auto stay_probability = [&](std::size_t u, double steps) {
    const auto bins = static_cast<double>(u);
    return bins >= m ? 0.0 : std::exp(steps * std::log1p(-bins / m));
  };
  std::vector<double> step(size * size, 0.0);
  for (std::size_t u = 1; u < size; ++u) step[u * size + u - 1] = static_cast<double>(u) / m;
  std::vector<double> square(size * size, 0.0);
  double steps = 1;
  for (;; balls >>= 1, steps *= 2) {
    for (std::size_t u = 0; u < size; ++u) step[u * size + u] = stay_probability(u, steps);
    if ((balls & 1) != 0) apply(step);
    if (balls == 1) return;
    std::fill(square.begin(), square.end(), 0.0);
    for (std::size_t u = 0; u < size; ++u) {
      for (std::size_t w = 0; w <= u; ++w) {
        const double first = step[u * size + w];
        for (std::size_t v = 0; v <= w; ++v) square[u * size + v] += first * step[w * size + v];
      }
    }
    step.swap(square);
  }
}

}  // namespace

double hit_probability(double bins, double balls) {
  if (bins <= 1) return balls > 0 ? 1 : 0;
  return -std::expm1(balls * std::log1p(-1 / bins));
}

coverage_chain::coverage_chain(std::uint64_t m, std::uint64_t k)
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

double coverage_chain::covered() const {
  return std::min(1.0, state_[0]);  // despite rounding
}

void coverage_chain::advance_one() {
  for (std::size_t u = 0; u < state_.size(); ++u) {
    const double stay = 1 - static_cast<double>(u) / m_;
    const double fall =
        u + 1 < state_.size() ? state_[u + 1] * static_cast<double>(u + 1) / m_ : 0.0;
    state_[u] = state_[u] * stay + fall;
  }
}

void coverage_chain::advance(std::uint64_t balls) {
  const std::size_t size = state_.size();
  std::vector<double> next(size, 0.0);
  for_each_power(m_, size, balls, [&](const std::vector<double>& step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t u = 0; u < size; ++u) {
      for (std::size_t v = 0; v <= u; ++v) next[v] += state_[u] * step[u * size + v];
    }
    state_.swap(next);
  });
}

std::vector<double> cover_probabilities(std::uint64_t m, std::uint64_t bins, std::uint64_t balls) {
  const std::size_t size = bins + 1;
  std::vector<double> covered(size, 0.0);  // from each u, the chance to be at 0
  covered[0] = 1;
  std::vector<double> next(size, 0.0);
  for_each_power(static_cast<double>(m), size, balls, [&](const std::vector<double>& step) {
    for (std::size_t u = 0; u < size; ++u) {
      next[u] = 0;
      for (std::size_t v = 0; v <= u; ++v) next[u] += step[u * size + v] * covered[v];
    }
    covered.swap(next);
  });
  for (double& probability : covered) probability = std::min(1.0, probability);
  return covered;
}

}  // namespace bloomery::math
