// Tail probabilities and quantiles: what statistical tests and intervals are made of.
//
// Accuracy: about 1e-12 relative for moderate arguments, limited by lgamma to n·2^-52 for n trials.
// Citation: continued fractions of Abramowitz and Stegun, §6.5.31 and §26.5.8 (modified Lentz).
//
//     assert(std::abs(bloomery::math::normal_quantile(0.975) - 1.959964) < 1e-6);
//     assert(std::abs(bloomery::math::chi_square_upper(3.841459, 1) - 0.05) < 1e-6);
//     assert(std::abs(bloomery::math::student_two_sided(12.7062047, 1) - 0.05) < 1e-9);
//     assert(std::abs(bloomery::math::binomial_upper(1, 2, 0.5) - 0.75) < 1e-12);
//     const auto none_of_300 = bloomery::math::binomial_interval(0, 300, 0.9);
//     assert(none_of_300.low == 0 && std::abs(none_of_300.high - 0.00994) < 1e-5);
#pragma once

#include <cstdint>

namespace bloomery::math {

// x with P(N(0,1) <= x) = p, for 0 < p < 1.
double normal_quantile(double p);

// P(chi-square with `freedom` degrees >= x).
double chi_square_upper(double x, double freedom);

// P(|T| >= |t|) for Student's T with `freedom` degrees.
double student_two_sided(double t, double freedom);

// t with P(|T| <= t) = confidence.
double student_deviation(double freedom, double confidence);

// P(Bin(trials, p) >= hits) and P(Bin(trials, p) <= hits).
double binomial_upper(std::uint64_t hits, std::uint64_t trials, double p);
double binomial_lower(std::uint64_t hits, std::uint64_t trials, double p);

// The chance, under Bin(trials, p), of a count at least as far out on either side: twice the
// smaller tail, at most 1.
double binomial_two_sided(std::uint64_t hits, std::uint64_t trials, double p);

// 1-(1-p)^trials without cancellation: that something of chance p happens at all.
double at_least_once(double p, double trials);

struct interval {
  double low = 0;
  double high = 1;
};

// The probabilities under which `hits` of `trials` is no surprise on either side (Clopper, Pearson
// 1934): exact tails, so it covers the true one at least as often as `confidence` says. So it does
// where trials went on until a number of hits was reached.
interval binomial_interval(std::uint64_t hits, std::uint64_t trials, double confidence);

// The counts that are no surprise on either side under Bin(trials, p): beyond each end lies at most half of
// 1 - confidence. It holds as well for trials of unequal probabilities whose mean is p, which spread less
// (Hoeffding 1956, Theorem 5: at ends that are more than one away from the mean, which these are made to be).
interval binomial_range(std::uint64_t trials, double p, double confidence);

}  // namespace bloomery::math
