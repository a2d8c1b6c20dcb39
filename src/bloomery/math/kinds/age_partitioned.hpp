// Age-partitioned windows: k + l slices in a ring, a key in the k youngest, claimed where k in a row
// have it.
//
// Purpose:   rate, cost and size of the window filter that never loses a key inside its window.
// Cost:      microseconds; a plan takes milliseconds.
// Guarantee: exact: each slice has its own hash function, so a stranger's hits are independent given
//            how many arrivals each slice has seen. Sums of nonnegative terms.
// Citation:  Shtul, Baquero, Almeida 2020, §4; the rate of a filter that is not full yet, the cost and
//            the choice of k and l are ours.
//
//     const auto size = bloomery::math::plan_age_partitions(10'000, 0.01);
//     assert(size.generations * size.generation + 1 >= 10'000 && size.rate <= 0.01);
//     assert(std::abs(bloomery::math::run_probability(std::vector<double>(3, 0.5), 2) - 0.375) < 1e-15);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

// A key is in `hashes` slices and stays for `generations` generations after its own, of `generation`
// arrivals each.
struct age_partitions {
  std::uint64_t slice_bits;
  std::uint64_t hashes;
  std::uint64_t generations;
  std::uint64_t generation;

  [[nodiscard]] std::uint64_t slices() const { return hashes + generations; }
};

// The chance that `run` independent events in a row happen, somewhere in the sequence.
double run_probability(std::span<const double> events, std::uint64_t run);

// The rate after this many distinct arrivals, and the highest rate ever: at the end of a
// generation, once every slice has been round.
double age_partitioned_rate(const age_partitions& ring, std::uint64_t arrivals);
double age_partitioned_peak(const age_partitions& ring);

// Slices looked at, of a query that looks at the older end of the first k slices, goes down until a
// slice has not got the key, and starts again above that: at the peak, ages even in the window.
query_cost age_partitioned_cost(const age_partitions& ring);

// More generations take less memory and more time. This is the fewest slices within `spare_memory` of
// the least memory that there is, for up to most_generations of them.
inline constexpr double spare_memory = 0.1;
inline constexpr std::uint64_t most_generations = 64;
struct age_partitioned_size : age_partitions {
  double rate;
};
age_partitioned_size plan_age_partitions(std::uint64_t window, double rate);

}  // namespace bloomery::math
