// The Poisson law and what integrals around a circle need of it, to the last digits.
//
// Purpose:   probabilities of counts from a few to 2^62, where ln n! alone would lose all digits.
// Guarantee: 1e-15 relative, or absolute where it is a logarithm.
// Citation:  Loader 2000.
//
//     assert(std::abs(bloomery::math::log_poisson(2, 3) - std::log(4.5 * std::exp(-3))) < 1e-15);
//     assert(std::abs(bloomery::math::angle_less_sine(1e-4) - 1e-12 / 6) < 1e-20);
#pragma once

namespace bloomery::math {

// ln n! less Stirling's (n+½)·ln n - n + ½·ln 2π; n > 0.
double stirling_error(double n);

// (mean+gap)·ln(1+gap/mean) - gap: how unlikely it is to be `gap` off the mean.
double deviance(double mean, double gap);

// ln P(Poisson(mean) = count), count >= 1; the gap is count - mean, if that is known better than both.
double log_poisson(double count, double mean, double gap);
double log_poisson(double count, double mean);

// angle - sin(angle), angle >= 0.
double angle_less_sine(double angle);

}  // namespace bloomery::math
