// The popularity-conscious Bloom filter: whole numbers of hashes that minimise the rate over the
// queries.
//
// Purpose:   minimise Σ q_i·2^-k_i with Σ p_i·k_i within a budget, k_i = 0, 1, 2 …: a knapsack whose
//            item (i, j), the j-th hash of key i, is worth q_i·2^-j at the price p_i. Worth shrinks
//            with j, so that taking items by worth to price takes a key's in their order.
// Cost:      50 passes over the list; the oracle (keys)·(budget)·(hashes).
// Guarantee: members set no more than the budget. At its own fill, `greedy` has no higher rate than
//            `floored`, that none than as many hashes for all alike as fit, and none above twice the
//            oracle's at half fill.
// Citation:  Zhong, Lu, Shen, Seiferas 2008 (problem, and the factor 2 of flooring; their
//            approximation scheme is not reproduced); Tarkoma §III-T.
//
//     using bloomery::math::demand;
//     const std::vector<demand> keys{{.queries = 9, .members = 1}, {.queries = 1, .members = 1}};
//     assert((bloomery::math::greedy_hashes(keys, 9) == std::vector<unsigned>{6, 3}));
//     assert((bloomery::math::optimal_hashes(keys, 9) == std::vector<unsigned>{6, 3}));
#pragma once

#include <span>
#include <vector>

#include "bloomery/math/kinds/allotted.hpp"

namespace bloomery::math {

// Σ q_i·2^-k_i: the oracle's objective.
double popularity_cost(std::span<const demand> demands, std::span<const unsigned> hashes);
// The rate over the queries at the fill that the hashes make of bits whose half the budget fills.
double popularity_rate(std::span<const demand> demands, std::span<const unsigned> hashes,
                       double budget);

// The continuous optimum max(0, log2(q_i/p_i) + C), cut down to whole numbers; or alike for all.
std::vector<unsigned> floored_hashes(std::span<const demand> demands, double budget);
// By worth to price, passing over what no longer fits; or floored.
std::vector<unsigned> greedy_hashes(std::span<const demand> demands, double budget);
// Of whole prices, the best there is.
std::vector<unsigned> optimal_hashes(std::span<const demand> demands, unsigned budget);

}  // namespace bloomery::math
