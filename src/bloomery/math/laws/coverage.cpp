#include "bloomery/math/laws/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// For each power of two in `count`, calls apply(step) with the matrix of that many steps, where
// step[u*size+v] = P(u -> v), v <= u, is given for one. Repeated squaring of a triangular matrix
// whose entries are nonnegative, so nothing cancels; the diagonal is set to stay(u, steps) each
// time because it alone would drift.
template <class Stay, class Apply>
void for_each_power(std::vector<double> step, std::size_t size, std::uint64_t count, Stay stay,
                    Apply apply) {
  if (count == 0) return;
  std::vector<double> square(size * size, 0.0);
  double steps = 1;
  for (;; count >>= 1, steps *= 2) {
    for (std::size_t u = 0; u < size; ++u) step[u * size + u] = stay(u, steps);
    if ((count & 1) != 0) apply(step);
    if (count == 1) return;
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

// The same for balls.
template <class Apply>
void for_each_power(double m, std::size_t size, std::uint64_t balls, Apply apply) {
  std::vector<double> step(size * size, 0.0);
  for (std::size_t u = 1; u < size; ++u) step[u * size + u - 1] = real(u) / m;
  const auto stay = [&](std::size_t u, double steps) {
    const auto bins = real(u);
    return bins >= m ? 0.0 : std::exp(steps * std::log1p(-bins / m));
  };
  for_each_power(std::move(step), size, balls, stay, apply);
}

}  // namespace

double hit_probability(double bins, double balls) {
  if (bins <= 1) return balls > 0 ? 1 : 0;
  return -std::expm1(balls * std::log1p(-1 / bins));
}

coverage_chain::coverage_chain(std::uint64_t m, std::uint64_t k) : m_(real(m)), state_(k + 1, 0.0) {
  state_[0] = 1;  // the distribution of distinct bins among k balls, one ball at a time
  for (std::uint64_t ball = 0; ball < k; ++ball) {
    for (std::size_t d = ball + 1; d > 0; --d) {
      const auto occupied = real(d);
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
    const double stay = 1 - real(u) / m_;
    const double fall = u + 1 < state_.size() ? state_[u + 1] * real(u + 1) / m_ : 0.0;
    state_[u] = state_[u] * stay + fall;
  }
}

void coverage_chain::apply(const std::vector<double>& step) {
  const std::size_t size = state_.size();
  std::vector<double> next(size, 0.0);
  for (std::size_t u = 0; u < size; ++u) {
    for (std::size_t v = 0; v <= u; ++v) next[v] += state_[u] * step[u * size + v];
  }
  state_.swap(next);
}

void coverage_chain::advance(std::uint64_t balls) {
  for_each_power(m_, state_.size(), balls, [&](const auto& step) { apply(step); });
}

void coverage_chain::advance_some(std::uint64_t keys, std::uint64_t balls, double share) {
  const std::size_t size = state_.size();
  std::vector<double> step(size * size, 0.0);  // of a key
  for (std::size_t u = 0; u < size; ++u) {
    coverage_chain from(*this);
    std::fill(from.state_.begin(), from.state_.end(), 0.0);
    from.state_[u] = 1;
    from.advance(balls);
    for (std::size_t v = 0; v < u; ++v) step[u * size + v] = share * from.state_[v];
  }
  const auto stay = [&](std::size_t u, double steps) {
    const auto bins = real(u);
    const double hit = bins >= m_ ? -1 : std::expm1(real(balls) * std::log1p(-bins / m_));
    return share * hit <= -1 ? 0.0 : std::exp(steps * std::log1p(share * hit));
  };
  for_each_power(std::move(step), size, keys, stay, [&](const auto& steps) { apply(steps); });
}

std::vector<double> cover_probabilities(std::uint64_t m, std::uint64_t bins, std::uint64_t balls) {
  const std::size_t size = bins + 1;
  std::vector<double> covered(size, 0.0);  // from each u, the chance to be at 0
  covered[0] = 1;
  std::vector<double> next(size, 0.0);
  for_each_power(real(m), size, balls, [&](const std::vector<double>& step) {
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
