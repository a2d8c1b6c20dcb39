// The weighted Bloom filter: how many hashes a key should have, by how often it is asked for.
//
// Purpose:   k_e = log2(r_e/x_e) + C minimises the rate over the queries, for r_e the share of
//            strangers' queries that are for key e and x_e its chance to be a member; C follows from
//            the bits that members may set, at half fill m·ln 2. Filters need whole numbers: rounded,
//            not below 0, with C fitted again.
// Cost:      50 passes over the list.
// Guarantee: members set no more than the budget. All ratios alike, all hashes are.
// Citation:  Bruck, Gao, Jiang: Weighted Bloom Filter, 2006; Tarkoma §III-V.
//
//     using bloomery::math::demand;
//     const std::vector<demand> keys{{.queries = 7, .members = 0.5}, {.queries = 1, .members = 0.5}};
//     const auto best = bloomery::math::weighted_optimum(keys, 8);
//     assert(std::abs(best.hashes[0] - best.hashes[1] - std::log2(7)) < 1e-12);
//     assert(bloomery::math::weighted_hashes(keys, 8)[0] == 9);
#pragma once

#include <span>
#include <vector>

#include "bloomery/math/kinds/allotted.hpp"

namespace bloomery::math {

// Real numbers, negative ones too, at half fill.
struct weighted_service {
  std::vector<double> hashes;
  double rate;  // over the queries
};
// r_e and x_e above 0, or errc::invalid.
weighted_service weighted_optimum(std::span<const demand> demands, double budget);

// KL(x/n‖r) in bits: the optimum's rate is 2^-KL of what the same bits give without weights.
double weighted_divergence(std::span<const demand> demands);

std::vector<unsigned> weighted_hashes(std::span<const demand> demands, double budget);

}  // namespace bloomery::math
