#include "bloomery/math/laws/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bloomery/math/numeric/poisson.hpp"
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

// If the balls were Poisson with mean x, u bins would be covered with chance (1-e^{-x/m})^u, and F(x) is
// the mean of that over the query's distinct bins. The chance for `balls` balls is coefficient `balls` of
// e^x·F(x) over that of e^x: a mean over the circle through the saddle point on the positive axis, where
// all coefficients are positive and nothing cancels.
class cover_integral {
 public:
  cover_integral(double m, std::span<const double> distinct, double balls)
      : distinct_(distinct), balls_(balls) {
    // The saddle point lies `gap` below the number of balls, and need not be met to the last digit.
    const double bins = real(distinct.size() - 1);
    for (int i = 0; i < 4; ++i) {
      const double load = (balls - gap_) / m;
      gap_ = std::min(bins * load / std::expm1(load), balls / 2);
    }
    radius_ = balls - gap_;
    load_ = radius_ / m;
  }

  // The trapezoid rule with this many points misses only what the coefficients, weighted by radius^i,
  // have that far from `balls`: nine standard deviations or more.
  [[nodiscard]] double value() const {
    constexpr double negligible = 1e-17;
    const double points = std::ceil(9 * std::sqrt(balls_)) + 24;
    double sum = 0;
    int silent = 0;  // points in a row that add nothing: one may only be near a zero
    for (double i = 0; 2 * i <= points && silent < 2; ++i) {
      const auto [term, size] = at(2 * M_PI * i / points);
      sum += (i == 0 || 2 * i == points ? 1 : 2) * term;
      silent = size < negligible * sum ? silent + 1 : 0;
    }
    return sum / points * std::exp(-log_poisson(balls_, radius_, gap_));
  }

 private:
  struct point {
    double real_part;
    double size;
  };

  [[nodiscard]] point at(double angle) const {
    const double half_sine = std::sin(angle / 2);
    const double less_cosine = 2 * half_sine * half_sine;  // 1 - cos(angle)
    // 1 - e^{-load·e^{i·angle}}
    const double half_turn = load_ * half_sine * std::cos(angle / 2);
    const double shrink = std::expm1(-load_ * (1 - less_cosine));
    const double turn_sine = std::sin(half_turn);
    const double turned = 2 * turn_sine * turn_sine;  // 1 - cos(turn)
    const double x = turned - shrink * (1 - turned);
    const double y = (1 + shrink) * 2 * turn_sine * std::cos(half_turn);
    double a = 0;
    double b = 0;
    for (std::size_t u = distinct_.size(); u-- > 0;) {
      const double next = a * x - b * y + distinct_[u];
      b = a * y + b * x;
      a = next;
    }
    const double weight = std::exp(-radius_ * less_cosine);
    const double phase = -gap_ * angle - radius_ * angle_less_sine(angle);
    return {weight * (a * std::cos(phase) - b * std::sin(phase)),
            weight * (std::abs(a) + std::abs(b))};
  }

  std::span<const double> distinct_;
  double balls_;
  double gap_ = 0;
  double radius_ = 0;
  double load_ = 0;
};

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

void coverage_chain::advance_singly(std::uint64_t balls) {
  std::vector<double> hit;  // the chance to leave a state
  for (std::size_t u = 0; u < state_.size(); ++u) hit.push_back(real(u) / m_);
  for (std::uint64_t ball = 0; ball < balls; ++ball) {
    for (std::size_t u = 0; u + 1 < hit.size(); ++u) {
      state_[u] = state_[u] * (1 - hit[u]) + state_[u + 1] * hit[u + 1];
    }
    state_.back() *= 1 - hit.back();
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

double cover_probability(std::uint64_t m, std::uint64_t k, std::uint64_t balls) {
  constexpr std::uint64_t few_bins = 4;   // for which squaring is as fast
  constexpr std::uint64_t few_times = 8;  // as many balls as bins, where the circle is too small
  coverage_chain chain(m, k);
  if (k < few_bins) {
    chain.advance(balls);
  } else if (balls < few_times * k) {
    chain.advance_singly(balls);
  } else {
    const double covered = cover_integral(real(m), chain.untouched(), real(balls)).value();
    return std::min(1.0, covered);
  }
  return chain.covered();
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
