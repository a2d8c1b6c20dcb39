// Attenuated filters: routing tables whose levels are distances.
//
// Purpose:   the rate of d levels of m cells, among which the keys are spread evenly, or as given.
// Guarantee: levels use the same positions, and are independent but for their repeats: exact for one
//            level.
// Citation:  Rhea, Kubiatowicz 2002; Tarkoma §IV-B.
//
//     namespace math = bloomery::math;
//     assert(math::plan_attenuated(1, 1000, 0.01).bits == math::plan_standard(1000, 0.01).bits);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::math {

double attenuated_rate(std::uint64_t bits, std::uint64_t hashes, std::uint64_t levels,
                       std::uint64_t keys);
// Cells of `levels` bits each.
standard_size plan_attenuated(std::uint64_t levels, std::uint64_t keys, double rate);

// The same of this many keys at each level: a bank whose classes are the levels.
double attenuated_rate(std::uint64_t bits, std::uint64_t hashes, std::uint64_t levels,
                       std::span<const value_load> loads);
standard_size plan_attenuated(std::uint64_t levels, std::span<const value_load> loads, double rate);

}  // namespace bloomery::math
