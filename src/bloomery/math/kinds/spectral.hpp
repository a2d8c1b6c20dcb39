// Spectral filters: how long their counters are when coded.
//
// Purpose:   the size that a filter will have.
// Cost:      a few operations for each value that a counter may have.
// Guarantee: counters have the Poisson law of balls thrown at many of them.
// Citation:  Elias 1975, for the code.
//
//     assert(bloomery::math::delta_code_bits(0) == 1);
//     assert(std::abs(bloomery::math::delta_code_bits(0.6931) - 2.54) < 0.01);
#pragma once

namespace bloomery::math {

// The expected bits of a counter of `load` increments on average, its value + 1 in Elias's delta code.
double delta_code_bits(double load);

}  // namespace bloomery::math
