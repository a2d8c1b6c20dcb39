// How many bits stay zero: mean, variance and covariance for every bit-filter layout, exactly.
//
// Purpose:   one small description of a layout gives the fill a filter should have and the error of
//            every cardinality estimate drawn from it.
// Guarantee: exact moments, no asymptotics. A key leaves a given bit alone with probability β, and
//            two given bits with β²·r, where r depends only on how the second bit lies to the first
//            (same slice, lane, block or bank, or none of these). All else follows by counting pairs.
//            Derivation: docs/filters/blocked.md.
// Citation:  the uniform case is Broder–Mitzenmacher §2.1 and Swamidass–Baldi 2007; the blocked one,
//            in math/laws/lanes.hpp, is ours.
//
//     const auto layout = bloomery::math::uniform_layout(1000, 7);
//     assert(std::abs(layout.expected_zeros(100) - 1000 * std::pow(0.999, 700)) < 1e-9);
//     assert(layout.covariance(100, 100, 100) > 0);
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::math {

struct bit_layout {
  double bits;
  double log_avoid;  // ln β
  struct sort {
    double count = 0;      // of other bits that lie so to a given one
    double log_ratio = 0;  // ln r
  };
  std::vector<sort> partners{};

  [[nodiscard]] double expected_zeros(double keys) const;

  // Covariance of the zeros of two filters of `a` and `b` keys, `common` of them shared. With
  // a = b = common it is the variance.
  [[nodiscard]] double covariance(double a, double b, double common) const;

  // The covariance of two cardinality estimates ln(zeros/m)/ln β, to first order. It depends on the
  // shared keys alone.
  [[nodiscard]] double estimate_covariance(double common) const;

 private:
  [[nodiscard]] double pair_excess(double common) const;
};

bit_layout uniform_layout(std::uint64_t m, std::uint64_t k);
bit_layout partitioned_layout(std::uint64_t slice, std::uint64_t k);

}  // namespace bloomery::math
