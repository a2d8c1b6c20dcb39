// Banks of filters, one for each class.
//
// Purpose:   rate, cost and size; a key of class c goes into filter c.
// Cost:      microseconds a filter; plans take milliseconds.
// Guarantee: rates are for keys whose classes are drawn evenly and independently, or for as many keys in
//            each class as are given, and exact for each filter. Together the filters count as
//            independent, of which the rate is at most more: they are asked at the same positions.
// Citation:  Tarkoma §III-M.
//
//     const auto size = bloomery::math::plan_bank(1000, 0.01, 13);
//     assert(bloomery::math::bank_rate(size, 1000) <= 0.01);
//     const std::vector<bloomery::math::value_load> uneven{{0, 999}, {12, 1}};
//     assert(bloomery::math::bank_rate(size, uneven) > 0.5);
//     assert(bloomery::math::bank_rate(bloomery::math::plan_bank(uneven, 0.01, 13), uneven) <= 0.01);
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t max_classes = 65'536;

// The expected rate of a filter of m bits and k hashes into which each of n keys comes with
// probability `share`.
double thinned_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, double share);

struct bank_size {
  std::uint64_t bits;  // of each filter
  std::uint64_t hashes;
  std::uint64_t classes;
};

// A stranger is claimed by some class.
double bank_rate(const bank_size& size, std::uint64_t keys);
bank_size plan_bank(std::uint64_t keys, double rate, std::uint64_t classes);
// The same of this many keys in each class; classes that are not named have none.
double bank_rate(const bank_size& size, std::span<const value_load> loads);
bank_size plan_bank(std::span<const value_load> loads, double rate, std::uint64_t classes);
// Of filters side by side: a row has the bit of each, and a query stops when no class is left.
query_cost bank_cost(const bank_size& size, std::uint64_t keys);

// What plans of banks have in common: the fewest bits a filter that fit, near those of a filter of this
// many keys at this rate; the rate that each of this many filters may have; and what they refuse.
standard_size smallest_filters(std::uint64_t filters, std::uint64_t keys, double rate,
                               const std::function<bool(std::uint64_t, std::uint64_t)>& fits);
// The same where filters are not alike: with fewer hashes too, as long as that takes fewer bits.
standard_size smallest_uneven_filters(
    std::uint64_t filters, std::uint64_t fullest, double rate,
    const std::function<bool(std::uint64_t, std::uint64_t)>& fits);
double rate_of_each(double rate, std::uint64_t filters);
void require_bank_plan(std::uint64_t keys, double rate, std::uint64_t classes);

}  // namespace bloomery::math
