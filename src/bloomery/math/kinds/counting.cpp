#include "bloomery/math/kinds/counting.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/poisson.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

using complex = std::complex<double>;

constexpr double negligible_share = 1e-17;
constexpr double huge = 40;  // as an exponent: 1 is nothing beside e^huge
constexpr complex log_minus_one{0, M_PI};
constexpr std::uint64_t max_load = std::uint64_t{1} << 20;

void require_counters(std::uint64_t m, std::uint64_t increments) {
  require_whole("counters", m, 1, max_bits);
  const bool small = m <= max_items / max_load;
  require_whole("increments", increments, 0, small ? m * max_load : max_items);
}

double log_counter_probability(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  const double n = real(increments);
  if (j == 0) return n * std::log1p(-1 / real(m));
  if (j == increments) return -n * std::log(real(m));
  const double hits = real(j);
  const double misses = real(increments - j);
  const double mean = n / real(m);
  const double gap = hits - mean;
  return stirling_error(n) - stirling_error(hits) - stirling_error(misses) - deviance(mean, gap) -
         deviance(n - mean, -gap) + 0.5 * std::log(n / (2 * M_PI * hits * misses));
}

complex log1p_of(complex w) {
  return {0.5 * std::log1p(2 * w.real() + std::norm(w)), std::atan2(w.imag(), 1 + w.real())};
}

complex expm1_of(complex w) {
  const double half_sine = std::sin(w.imag() / 2);
  return {std::expm1(w.real()) * std::cos(w.imag()) - 2 * half_sine * half_sine,
          std::exp(w.real()) * std::sin(w.imag())};
}

// A Poisson counter at z = radius·e^{i·angle} instead of a real mean.
struct circle_point {
  double radius;
  double angle;

  [[nodiscard]] complex value() const { return std::polar(radius, angle); }

  // ln of z^count·e^{-z}/count!
  [[nodiscard]] complex log_poisson_term(double count) const {
    const double half_sine = std::sin(angle / 2);
    return {log_poisson(count, radius) + 2 * radius * half_sine * half_sine,
            (count - radius) * angle + radius * angle_less_sine(angle)};
  }

  // ln of 1 + ratio(1) + ratio(1)·ratio(2) + …, terms that fall in the end.
  template <class Ratio>
  static complex log_sum(Ratio ratio) {
    complex term = 1;
    complex sum = 0;
    for (double i = 1; std::norm(term) > std::norm(sum) * negligible_share * negligible_share;
         ++i) {
      sum += term;
      term *= ratio(i);
    }
    return std::log(sum);
  }

  // ln of e^{-z}·Σ_{i>=j} z^i/i!, for radius < j.
  [[nodiscard]] complex log_above(double j) const {
    const complex z = value();
    return log_poisson_term(j) + log_sum([&](double i) { return z / (j + i); });
  }

  // ln of e^{-z}·Σ_{i<j} z^i/i!
  [[nodiscard]] complex log_below(double j) const {
    if (radius < j) {
      const complex above = log_above(j);
      return above.real() > huge ? above + log_minus_one : log1p_of(-std::exp(above));
    }
    const complex z = value();
    return log_poisson_term(j - 1) + log_sum([&](double i) { return (j - i) / z; });
  }
};

// Coefficient n of e^{mx} - (Σ_{i<j} x^i/i!)^m over that of e^{mx}, as a mean over the circle through
// the saddle point on the positive axis. All is relative to e^{mx} and to the value on that axis.
class overflow_integral {
 public:
  overflow_integral(double m, double n, double j) : m_(m), n_(n), j_(j) {
    // The saddle point lies between (n-j)/m and n/m; halving n - m·radius keeps its digits.
    gap_ = border(
               0, j, [&](double gap) { return !(mean_excess(gap) < gap); }, 0, 40)
               .middle();
    radius_ = (n - gap_) / m;
  }

  // The trapezoid rule with this many points misses only what the positive coefficients, weighted
  // by radius^i, have that far from n, and their deviation is at most √n.
  [[nodiscard]] double value() const {
    const double points = std::ceil(24 * std::sqrt(n_)) + 48;
    const double scale = log_some({radius_, 0}).real();
    double sum = 1;
    int silent = 0;  // points in a row that add nothing: a few may only be near a zero
    for (double i = 1; 2 * i <= points && (silent < 16 || points < 4096); ++i) {
      const complex term = std::exp(log_at(2 * M_PI * i / points) - scale);
      sum += (2 * i == points ? 1 : 2) * term.real();
      silent = std::abs(term) < negligible_share * sum ? silent + 1 : 0;
    }
    return sum / points * std::exp(scale - log_poisson(n_, m_ * radius_, gap_));
  }

 private:
  // ln of 1 - P(all m counters below j)
  [[nodiscard]] complex log_some(const circle_point& point) const {
    if (point.radius < j_) {
      const complex single = point.log_above(j_) + std::log(m_);
      if (single.real() < -huge) return single;  // two at once are beyond all digits
    }
    const complex log_none = m_ * point.log_below(j_);
    return log_none.real() > huge ? log_none + log_minus_one : std::log(-expm1_of(log_none));
  }

  // By how much the weighted coefficients' mean exceeds m·radius, at radius (n-gap)/m.
  [[nodiscard]] double mean_excess(double gap) const {
    const circle_point point{(n_ - gap) / m_, 0};
    const double log_edge =
        point.log_poisson_term(j_ - 1).real() + (m_ - 1) * point.log_below(j_).real();
    return m_ * point.radius * std::exp(log_edge - log_some(point).real());
  }

  [[nodiscard]] complex log_at(double angle) const {
    const double half_sine = std::sin(angle / 2);
    const complex weight{-2 * m_ * radius_ * half_sine * half_sine,
                         -gap_ * angle - m_ * radius_ * angle_less_sine(angle)};
    return weight + log_some({radius_, angle});
  }

  double m_;
  double n_;
  double j_;
  double gap_ = 0;
  double radius_ = 0;
};

}  // namespace

double counter_probability(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  require_counters(m, increments);
  if (m == 1 || j > increments) return j == increments ? 1 : 0;
  return std::exp(log_counter_probability(m, increments, j));
}

double counter_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  require_counters(m, increments);
  if (j == 0) return 1;
  if (j > increments) return 0;
  if (m == 1) return 1;
  const double n = real(increments);
  const double others = real(m) - 1;
  const bool above_mean = real(j) > n / real(m);
  double term = 1;
  double sum = 0;
  if (above_mean) {
    for (double i = real(j); term > sum * negligible_share; ++i) {
      sum += term;
      term *= (n - i) / ((i + 1) * others);
    }
    return std::min(1.0, sum * std::exp(log_counter_probability(m, increments, j)));
  }
  for (double i = real(j) - 1; term > sum * negligible_share; --i) {
    sum += term;
    term *= i * others / (n - i + 1);
  }
  return std::max(0.0, 1 - sum * std::exp(log_counter_probability(m, increments, j - 1)));
}

double any_counter_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  require_counters(m, increments);
  if (j > increments) return 0;
  if (j <= 1 || m == 1) return 1;
  if ((increments - 1) / m + 1 >= j) return 1;  // pigeons
  const double single = real(m) * counter_tail(m, increments, j);
  // Two counters together cannot reach j, or so seldom (at most single²/2) that no digit shows it.
  if (increments / 2 < j || single < negligible_share) return std::min(1.0, single);
  return std::min(1.0, overflow_integral(real(m), real(increments), real(j)).value());
}

double overflow_probability(std::uint64_t m, std::uint64_t increments, std::uint64_t bits) {
  constexpr std::uint64_t widest = 64;
  require_whole("counter bits", bits, 1, widest);
  require_counters(m, increments);
  if (bits == widest) return 0;
  return any_counter_tail(m, increments, std::uint64_t{1} << bits);
}

std::uint64_t counter_bits(std::uint64_t m, std::uint64_t increments, double probability) {
  constexpr std::uint64_t narrowest = 2;
  constexpr std::uint64_t widest = 16;
  // Counters are negatively associated: one that is full makes others less likely to be. So the chance
  // that any is lies between that of as many independent ones and the sum, and mostly that tells.
  constexpr double rounding = 1e-9;
  const auto overflows = [&](std::uint64_t bits) {
    const double single = counter_tail(m, increments, std::uint64_t{1} << bits);
    if (single * real(m) * (1 + rounding) <= probability) return false;
    if (single < 1 && at_least_once(single, real(m)) * (1 - rounding) > probability) return true;
    return overflow_probability(m, increments, bits) > probability;
  };
  std::uint64_t bits = narrowest;
  while (bits < widest && overflows(bits)) ++bits;
  return bits;
}

double unary_bits(std::uint64_t m, double load) {
  return real(m) * (1 + load);
}

double union_bound(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  return std::min(1.0, real(m) * counter_tail(m, increments, j));
}

double overflow_over_sets(std::uint64_t m, std::uint64_t increments, std::uint64_t bits,
                          std::uint64_t sets) {
  return std::min(1.0, real(sets) * overflow_probability(m, increments, bits));
}

counter_bounds loose_bounds(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  require_counters(m, increments);
  require_whole("j", j, 1, max_items);
  const double log_m = std::log(real(m));
  const double load = real(increments) / real(m);
  const auto power = [&](double base) { return std::exp(log_m + real(j) * std::log(base)); };
  // C(kn,j)/m^j is the binomial term without its last factor (1-1/m)^{kn-j}.
  double choose = 0;
  if (m == 1) {
    choose = j > increments
                 ? 0
                 : std::exp(std::lgamma(real(increments) + 1) - std::lgamma(real(j) + 1) -
                            std::lgamma(real(increments - j) + 1));
  } else if (j <= increments) {
    choose = std::exp(log_m + log_counter_probability(m, increments, j) -
                      real(increments - j) * std::log1p(-1 / real(m)));
  }
  return {choose, power(M_E * load / real(j)), power(M_E * M_LN2 / real(j))};
}

double ficara_bound(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  require_counters(m, increments);
  require_whole("j", j, 1, max_items);
  const double load = real(increments) / real(m);
  const double at = real(j);
  const bool holds = at >= load + 1 && load * load * (at + 2) < at * (at + 1) * (at + 2 - load);
  return holds ? counter_probability(m, increments, j - 1) : 1;
}

double ficara_tail(std::uint64_t m, std::uint64_t increments, std::uint64_t j) {
  require_counters(m, increments);
  require_whole("j", j, 1, max_items);
  const double load = real(increments) / real(m);
  const double at = real(j);
  if (at < load + 1) return 1;
  const double ratio = load * (at + 1) / (at * (at + 1 - load));
  return std::min(1.0, ratio * counter_probability(m, increments, j - 1));
}

}  // namespace bloomery::math
