// Filters in which some keys have more hashes than others, and a map tells which.
//
// Purpose:   keys are listed with how often they are asked for and how likely they are members; a
//            rule allots hashes to them (math/kinds/weighted.hpp, math/kinds/popularity.hpp). Those whose number is
//            not the common one are kept in a map of `map_bits` a key, which answers "not listed"
//            for any other key but for a chance of 2^-map_bits for each number it can tell: then
//            that key has another number too, and always the same. Rates, and the smallest size.
// Cost:      microseconds a rate; a plan allots hashes to the list ten times.
// Guarantee: exact rates for the number of bits set that is expected. Plans keep the rate over the
//            queries listed, and its square root for strangers that are not, in the fewest bits of
//            filter and map together that were found; without a map where that takes no more.
// Citation:  Bruck, Gao, Jiang 2006; the map and its price are ours: docs/filters/weighted.md.
//
//     const bloomery::math::allotment plain{.bits = 1000, .hashes = 7};
//     assert(std::abs(plain.stranger_rate(100) - bloomery::math::exact_rate(1000, 100, 7)) < 1e-14);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bloomery::math {

// Of one key: its share of the queries for strangers, r_e, in any unit, and its chance x_e to be a
// member.
struct demand {
  double queries = 0;
  double members = 0;
};

// A rule: hashes for each key such that members set `budget` bits or fewer, Σ x_e·k_e.
using allot = std::function<std::vector<unsigned>(std::span<const demand>, double budget)>;

double bits_set(std::span<const demand> demands, std::span<const unsigned> hashes);  // Σ x_e·k_e
// Σ r_e·fill^k_e / Σ r_e: the rate over the queries, if all hashes are as allotted.
double queried_rate(std::span<const demand> demands, std::span<const unsigned> hashes, double fill);

// log2(r_e/x_e): by how much a key deserves more hashes than one of ratio 1.
double merit(const demand& d);
// ⌊merit + offset⌋ within 0 and max_hashes.
unsigned hashes_at(double merit, double offset);
std::vector<double> merits(std::span<const demand> demands);
std::vector<unsigned> hashes_by(std::span<const double> merit_of, double offset);
// The greatest offset, to 2^-40, at which members set no more than the budget; `set_at` rises with it.
double greatest_offset(double budget, const std::function<double(double)>& set_at);

struct allotment {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;  // of keys not in the map
  std::uint64_t listed = 0;  // keys in the map; if none, all below is 0
  std::uint64_t map_bits = 0;
  std::uint64_t least_hashes = 0;  // that the map can tell
  std::uint64_t most_hashes = 0;
  double mean_hashes = 0;  // of a key inserted
  double budget = 0;       // that the hashes were allotted by

  [[nodiscard]] std::uint64_t codes() const {
    return listed == 0 ? 0 : most_hashes - least_hashes + 1;
  }
  // The hashes of a listed key that was allotted this many: the common number if the map cannot
  // tell it.
  [[nodiscard]] std::uint64_t given(unsigned allotted) const;
  // After this many insertions of keys of the planned mix.
  [[nodiscard]] double fill(std::uint64_t keys) const;
  // The rate of strangers that are not listed.
  [[nodiscard]] double stranger_rate(std::uint64_t keys) const;
  // The same of a filter with this share of ones.
  [[nodiscard]] double instance_rate(double fill) const;
  // The rate over the queries listed; that of other strangers if no stranger is asked for.
  [[nodiscard]] double listed_rate(std::uint64_t keys, std::span<const demand> demands,
                                   std::span<const unsigned> allotted) const;
};

allotment plan_allotment(std::uint64_t keys, double rate, std::span<const demand> demands,
                         const allot& rule);

// With the map.
double total_bits(const allotment& a);

}  // namespace bloomery::math
