// Do the balls thrown cover the bins asked for? The chain behind every exact rate.
//
// Purpose:   a query's k balls occupy some of m bins; insertions throw balls at all m; how many of
//            the query's bins are still untouched?
// Cost:      O(k³ log balls) to advance by many balls, O(k) by one; some fifteen times O(k) for the chance
//            alone that all is covered, however many balls.
// Guarantee: nonnegative terms only, so nothing cancels: 2e-15 relative at m = 10^9 and k = 35.
// Citation:  Christensen, Roginsky, Jimeno 2010, eq. 8, with the roles of query and insertions
//            reversed.
//
//     bloomery::math::coverage_chain chain(3, 1);  // one ball in three bins
//     chain.advance(2);
//     assert(std::abs(chain.covered() - 5.0 / 9) < 1e-15);
//     const auto hit = bloomery::math::cover_probabilities(3, 2, 2);
//     assert(std::abs(hit[2] - 2.0 / 9) < 1e-15);
//     assert(std::abs(bloomery::math::cover_probability(3, 1, 2) - 5.0 / 9) < 1e-15);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bloomery::math {

// 1 - (1 - 1/bins)^balls: the chance that a given bin is hit, which is also the expected fill.
double hit_probability(double bins, double balls);

// State u is the number of the query's bins not hit yet; it falls by one with probability u/m per
// ball. The query is a false positive when u = 0.
class coverage_chain {
 public:
  coverage_chain(std::uint64_t m, std::uint64_t k);

  void advance_one();
  void advance(std::uint64_t balls);
  void advance_singly(std::uint64_t balls);  // faster for few of them
  // Of each of `keys` keys, `balls` balls with probability `share`, else none: the same cost.
  void advance_some(std::uint64_t keys, std::uint64_t balls, double share);

  [[nodiscard]] double covered() const;
  [[nodiscard]] std::span<const double> untouched() const { return state_; }  // P(u), u = 0..k

 private:
  void apply(const std::vector<double>& step);

  double m_;
  std::vector<double> state_;
};

// The chance that `balls` balls cover the bins that k others hit: what a chain of m and k, advanced by
// so many balls, says of `covered`, in a few microseconds.
double cover_probability(std::uint64_t m, std::uint64_t k, std::uint64_t balls);

// Element u, for u = 0..bins: the chance that `balls` balls hit all of u given bins of m.
std::vector<double> cover_probabilities(std::uint64_t m, std::uint64_t bins, std::uint64_t balls);

}  // namespace bloomery::math
