// Filters that look before they write: each key, or group of keys, takes the one of several sets of
// positions that adds the fewest ones.
//
// Purpose:   what the two-choice and the hash-choice filter have in common: how fast they fill.
// Cost:      tens of microseconds; a few milliseconds for groups and for plans.
// Guarantee: the limit for many bits, where the fill follows the mean of its steps: with a share z of
//            zeros left, a group that throws r balls a candidate adds E[min of d Bin(r, z)] ones. Small
//            filters miss it by some part in their keys; for them there is the law of the number of
//            ones, which is exact, and `refined` joins the two. No fits.
// Citation:  Lumetta, Mitzenmacher 2007 (Tarkoma §II-C); Hao, Kodialam, Lakshman 2007. The law of
//            groups is ours.
//
//     assert(bloomery::math::fewest_ones(7, 0.5, 2) < 3.5);
//     bloomery::math::choice_law one([](double zeros) { return 7 * zeros; });
//     assert(std::abs(one.fill_after(0.1) - 0.5034) < 1e-4);  // 1 - e^-0.7
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/quadrature.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

// E[min of `candidates` independent Bin(throws, zeros)]: ones that the best candidate adds. Exact to
// 4096 throws, and from there the normal limit.
double fewest_ones(std::uint64_t throws, double zeros, std::uint64_t candidates);

// Turns the law of a number, by element, into that of the least of so many independent ones.
void least_of(std::vector<double>& law, std::uint64_t candidates);

// Element [g][j], for g up to `most` groups of balls: the chance that the best candidate adds j ones to m
// bits of which `ones` are set; each throws g times so many balls. Exact; the cost is that of the square of
// all throws.
std::vector<std::vector<double>> fewest_added(std::uint64_t m, std::uint64_t ones,
                                              std::uint64_t throws, std::uint64_t most,
                                              std::uint64_t candidates);

// The rate of n keys from that of the limit: `exact` and `limit_of_few` are those of `few` keys in a filter
// of the same density, whose fluctuations count for as many times more as its keys are fewer.
double refined(double limit, std::uint64_t n, double exact, double limit_of_few, std::uint64_t few);

// So many of n, when all shrinks to `few` keys; one at least.
inline std::uint64_t in_proportion(std::uint64_t whole, std::uint64_t n, std::uint64_t few) {
  if (n <= few) return whole;
  return static_cast<std::uint64_t>(std::max(1.0, std::round(real(whole) * (real(few) / real(n)))));
}

// The law in u = -ln(zeros): with t groups for each bit, dt/du = zeros/step(zeros). Near u = 0 that
// turns ever faster the more candidates there are, so the first piece is cut finer towards 0, as the
// cubes of even pieces.
template <class Step>
class choice_law {
 public:
  explicit choice_law(Step step) : step_(std::move(step)) {}

  // Groups for each bit that take u from one to the other.
  [[nodiscard]] double groups(double from, double to) const {
    const auto slope = [&](double u) {
      const double zeros = std::exp(-u);
      return zeros / step_(zeros);
    };
    if (from > 0) return integral(from, to, slope);
    const auto graded = [&](double s) { return 3 * s * s * slope(to * s * s * s); };
    return to * (integral(0, 0.5, graded) + integral(0.5, 1, graded));
  }

  [[nodiscard]] double groups_for(double fill) {
    const double end = -std::log1p(-fill);
    double sum = 0;
    double u = 0;
    for (std::size_t i = 0; u < end; ++i) {
      if (u + piece <= end) {
        sum += groups_of_piece(i);
      } else {
        known_ = {end, groups(u, end)};
        sum += known_.taken;
      }
      u += piece;
    }
    return sum;
  }

  [[nodiscard]] double fill_after(double groups_per_bit) {
    double u = 0;
    double left = groups_per_bit;
    for (std::size_t i = 0; u < most; ++i) {
      const double taken = groups_of_piece(i);
      if (!(taken < left)) break;
      left -= taken;
      u += piece;
    }
    // u lies in this piece: halve until Newton's steps stay inside, which soon they all do.
    double low = u;
    double high = u + piece;
    double now = u;
    double taken = 0;
    if (known_.u > low && known_.u < high) {  // as for sizes that differ by little
      now = known_.u;
      taken = known_.taken;
      (taken < left ? low : high) = now;
    }
    for (int steps = 0; u < most && steps < 60; ++steps) {
      const double zeros = std::exp(-now);
      const double newton = now + (left - taken) * step_(zeros) / zeros;
      // Its last steps may not leave an end: halving would start all over.
      const bool inside = newton > low && newton < high;
      const bool close = std::abs(newton - now) <= 1e-11 * now;
      const double next = inside || close ? newton : low + (high - low) / 2;
      const double moved = std::abs(next - now);
      now = next;
      if (moved <= 1e-11 * now) break;
      taken = groups(u, now);
      known_ = {now, taken};
      (taken < left ? low : high) = now;
    }
    return -std::expm1(-now);
  }

 private:
  static constexpr double piece = 0.25;
  static constexpr double most = 40;  // no zero among 2^57 bits

  // Asked for one after the other, and worked out once.
  double groups_of_piece(std::size_t i) {
    const double u = piece * real(i);
    if (i == pieces_.size()) pieces_.push_back(groups(u, u + piece));
    return pieces_[i];
  }

  struct known_end {
    double u = 0;
    double taken = 0;  // of the piece that u lies in
  };

  Step step_;
  std::vector<double> pieces_;
  known_end known_;  // the last
};

// The k, near the textbook's and above, that wants the fewest bits by bits_for(k).
template <class BitsFor>
std::optional<std::uint64_t> best_hashes_by(double rate, BitsFor bits_for) {
  const double textbook = std::clamp(std::round(-std::log2(rate)), 1.0, real(max_hashes));
  auto best = static_cast<std::uint64_t>(textbook);
  double least = bits_for(best);
  for (std::uint64_t k = best; k < max_hashes; ++k) {
    const double bits = bits_for(k + 1);
    if (!(bits < least)) break;
    best = k + 1;
    least = bits;
  }
  for (std::uint64_t k = best; k > 1; --k) {
    const double bits = bits_for(k - 1);
    if (bits > least) break;
    best = k - 1;
    least = bits;
  }
  return least < real(max_bits) / 2 ? std::optional(best) : std::nullopt;
}

// Up or down from the limit's own size, which is a few bits off.
template <class RateOf>
std::uint64_t first_within(double guess, double rate, RateOf rate_of) {
  auto bits = static_cast<std::uint64_t>(std::max(1.0, std::ceil(guess * (1 - 1e-9))));
  const std::uint64_t step = 1 + (bits >> 32);
  const std::uint64_t from = bits;
  while (rate_of(bits) > rate) bits += step;
  if (bits > from) return bits;  // those before have been asked
  while (bits > step && rate_of(bits - step) <= rate) bits -= step;
  return bits;
}

}  // namespace bloomery::math
